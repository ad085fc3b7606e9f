#include "support/resp_scanner.hpp"

#include <charconv>
#include <stdexcept>

namespace redlatch::test {
namespace {

std::optional<std::size_t> line_length(std::string_view bytes) {
    auto const end = bytes.find("\r\n");
    if (end == std::string_view::npos) return std::nullopt;
    return end + 2;
}

long number_of(std::string_view line) {
    long number = 0;
    std::from_chars(line.data() + 1, line.data() + line.size() - 2, number);
    return number;
}

} // namespace

std::optional<std::size_t> value_length(std::string_view bytes) {
    auto const line = line_length(bytes);
    if (!line) return std::nullopt;
    switch (bytes.front()) {
    case '+':
    case '-':
    case ':': return line;
    case '$': {
        long const size = number_of(bytes.substr(0, *line));
        if (size < 0) return line;
        std::size_t const whole = *line + static_cast<std::size_t>(size) + 2;
        return bytes.size() >= whole ? std::optional(whole) : std::nullopt;
    }
    case '*': {
        std::size_t at = *line;
        for (long left = number_of(bytes.substr(0, *line)); left > 0; --left) {
            auto const item = value_length(bytes.substr(at));
            if (!item) return std::nullopt;
            at += *item;
        }
        return at;
    }
    default: throw std::runtime_error("not RESP: " + std::string(bytes.substr(0, 40)));
    }
}

std::vector<std::string> command_words(std::string_view bytes) {
    std::vector<std::string> words;
    std::size_t at = *line_length(bytes);
    while (at < bytes.size()) {
        auto const rest = bytes.substr(at);
        auto const line = *line_length(rest);
        auto const size = static_cast<std::size_t>(number_of(rest.substr(0, line)));
        words.emplace_back(rest.substr(line, size));
        at += line + size + 2;
    }
    return words;
}

} // namespace redlatch::test
