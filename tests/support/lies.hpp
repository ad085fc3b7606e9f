// Replies that are correct in their form and make no sense, for whatever was asked.
#pragma once

#include <string>
#include <vector>

namespace redlatch::test {

struct lie {
    char const* what;
    std::string bytes;
};

inline std::vector<lie> lies() {
    return {
        {"status", "+OK\r\n"},           {"text", "$3\r\nabc\r\n"},
        {"array", "*1\r\n:1\r\n"},       {"deep_array", "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n"},
        {"unknown_number", ":4711\r\n"}, {"least_number", ":-9223372036854775808\r\n"},
        {"garbage", "what?\r\n"},        {"unknown_error", "-STRANGE something\r\n"},
        {"empty_error", "-\r\n"},        {"overflowing_number", ":99999999999999999999999\r\n"},
    };
}

} // namespace redlatch::test
