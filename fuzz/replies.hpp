// Replies as a server sends them, and the commands that it gets.
#pragma once

#include "resp/reader.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redlatch::fuzz {

inline resp::value integer(std::int64_t n) {
    resp::value out;
    out.type = resp::value::kind::integer;
    out.integer = n;
    return out;
}

inline resp::value text(std::string what, resp::value::kind type = resp::value::kind::string) {
    resp::value out;
    out.type = type;
    out.text = std::move(what);
    return out;
}

inline resp::value error(std::string what) {
    return text(std::move(what), resp::value::kind::error);
}

inline resp::value array(std::vector<resp::value> items) {
    resp::value out;
    out.type = resp::value::kind::array;
    out.items = std::move(items);
    return out;
}

using words = std::vector<std::string>;

/// The complete commands in what has come so far, each once.
class command_reader {
public:
    std::vector<words> take(std::string_view bytes) {
        reader_.feed(bytes);
        std::vector<words> all;
        resp::value command;
        while (reader_.next(command) == resp::reader::result::value) {
            words one;
            for (auto& word : command.items) one.push_back(std::move(word.text));
            all.push_back(std::move(one));
        }
        return all;
    }

private:
    resp::reader reader_;
};

} // namespace redlatch::fuzz
