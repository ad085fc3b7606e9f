// Replies as a server would send them, and what was sent as a reader would write it down.
#pragma once

#include "resp/reader.hpp"
#include "resp/value.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redlatch::scripted {

inline resp::value nil() {
    return {};
}

inline resp::value integer(std::int64_t n) {
    resp::value out;
    out.type = resp::value::kind::integer;
    out.integer = n;
    return out;
}

inline resp::value with_text(resp::value::kind type, std::string text) {
    resp::value out;
    out.type = type;
    out.text = std::move(text);
    return out;
}

inline resp::value status(std::string text) {
    return with_text(resp::value::kind::status, std::move(text));
}
inline resp::value string(std::string text) {
    return with_text(resp::value::kind::string, std::move(text));
}
inline resp::value error(std::string text) {
    return with_text(resp::value::kind::error, std::move(text));
}

inline resp::value array(std::vector<resp::value> items) {
    resp::value out;
    out.type = resp::value::kind::array;
    out.items = std::move(items);
    return out;
}

/// Every complete command in `bytes`, its words.
inline std::vector<std::vector<std::string>> words_in(std::string_view bytes) {
    resp::reader reader;
    reader.feed(bytes);
    std::vector<std::vector<std::string>> all;
    resp::value command;
    while (reader.next(command) == resp::reader::result::value) {
        std::vector<std::string> words;
        for (auto const& word : command.items) words.push_back(word.text);
        all.push_back(std::move(words));
    }
    return all;
}

/// The same, words joined by spaces.
inline std::vector<std::string> commands_in(std::string_view bytes) {
    std::vector<std::string> all;
    for (auto const& words : words_in(bytes)) {
        std::string line;
        for (auto const& word : words) line += (line.empty() ? "" : " ") + word;
        all.push_back(std::move(line));
    }
    return all;
}

} // namespace redlatch::scripted
