// Replies as one readable line, so that a table can say what it expects.
#pragma once

#include "resp/reader.hpp"

#include <string>

namespace redlatch::resp::test {

/// nil, 12, +OK, "text", !error, [1 2]
inline std::string show(value const& reply) {
    switch (reply.type) {
    case value::kind::nil: return "nil";
    case value::kind::integer: return std::to_string(reply.integer);
    case value::kind::status: return "+" + reply.text;
    case value::kind::string: return '"' + reply.text + '"';
    case value::kind::error: return "!" + reply.text;
    case value::kind::array: break;
    }
    std::string out = "[";
    for (auto const& item : reply.items) out += (out.size() > 1 ? " " : "") + show(item);
    return out + "]";
}

struct outcome {
    std::string shown;   ///< each reply followed by ";"
    bool broken = false; ///< the stream was refused after these replies
    std::string problem{};
};

/// Feeds a whole stream in pieces of one size, and takes out what is complete after each.
inline outcome read_all(std::string_view stream, std::size_t piece, limits const& bounds = {}) {
    reader subject(bounds);
    outcome seen;
    value reply;
    while (!stream.empty()) {
        subject.feed(stream.substr(0, piece));
        stream.remove_prefix(std::min(piece, stream.size()));
        auto result = subject.next(reply);
        for (; result == reader::result::value; result = subject.next(reply)) seen.shown += show(reply) + ";";
        if (result == reader::result::broken) return {seen.shown, true, subject.problem()};
    }
    return seen;
}

} // namespace redlatch::resp::test
