#include "text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <poll.h>
#include <unistd.h>

namespace redlatch::cli {
namespace {

bool continues(std::string_view bytes, std::size_t at) {
    return at < bytes.size() && (static_cast<unsigned char>(bytes[at]) & 0xC0) == 0x80;
}

/// The length of the well-formed UTF-8 character at `at`; 0: there is none.
std::size_t character_length(std::string_view bytes, std::size_t at) {
    auto const first = static_cast<unsigned char>(bytes[at]);
    auto const second = at + 1 < bytes.size() ? static_cast<unsigned char>(bytes[at + 1]) : 0U;
    if (first < 0x80) return 1;
    std::size_t length = 0;
    if (first >= 0xC2 && first <= 0xDF)
        length = 2;
    else if (first >= 0xE0 && first <= 0xEF)
        length = 3;
    else if (first >= 0xF0 && first <= 0xF4)
        length = 4;
    for (std::size_t next = 1; next < length; ++next)
        if (!continues(bytes, at + next)) return 0;
    // Overlong forms, surrogates, and what is beyond Unicode.
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) || (first == 0xF0 && second < 0x90)
        || (first == 0xF4 && second > 0x8F))
        return 0;
    return length;
}

std::string escaped(std::string_view bytes, bool double_backslash) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string result;
    result.reserve(bytes.size());
    for (std::size_t at = 0; at < bytes.size();) {
        auto const byte = static_cast<unsigned char>(bytes[at]);
        std::size_t const length = character_length(bytes, at);
        // U+0080 to U+009F are control characters too: 0xC2 0x80 to 0xC2 0x9F.
        bool const control = byte < 0x20 || byte == 0x7F
                             || (byte == 0xC2 && length == 2 && static_cast<unsigned char>(bytes[at + 1]) < 0xA0);
        if (length == 0 || control) {
            result += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
            ++at;
            continue;
        }
        if (byte == '\\' && double_backslash) result += '\\';
        result += bytes.substr(at, length);
        at += length;
    }
    return result;
}

} // namespace

std::string printable(std::string_view bytes) {
    return escaped(bytes, true);
}

std::string printable_sentence(std::string_view bytes) {
    return escaped(bytes, false);
}

std::size_t columns(std::string_view utf8) noexcept {
    return static_cast<std::size_t>(
        std::count_if(utf8.begin(), utf8.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool write_all(int descriptor, std::string_view bytes) noexcept {
    while (!bytes.empty()) {
        auto const written = ::write(descriptor, bytes.data(), bytes.size());
        if (written >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EAGAIN) { // somebody made our stderr non-blocking
            pollfd entry{descriptor, POLLOUT, 0};
            ::poll(&entry, 1, -1);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

bool print(std::string_view text) noexcept {
    return write_all(STDOUT_FILENO, text);
}

} // namespace redlatch::cli
