#include "text.hpp"

#include "descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <sys/stat.h>
#include <sys/uio.h>
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

/// Where a character begins, at `at` or a little before.
std::size_t character_boundary(std::string_view bytes, std::size_t at) {
    auto begin = at;
    while (begin > 0 && at - begin < 3 && continues(bytes, begin)) --begin;
    return continues(bytes, begin) ? at : begin;
}

std::uint32_t code_point(std::string_view character) {
    auto const byte = [&](std::size_t at) { return static_cast<unsigned char>(character[at]); };
    if (character.size() == 1) return byte(0);
    std::uint32_t code = byte(0) & (0x7FU >> character.size());
    for (std::size_t at = 1; at < character.size(); ++at) code = code << 6 | (byte(at) & 0x3FU);
    return code;
}

struct range {
    std::uint32_t first;
    std::uint32_t last;
};

template <std::size_t Count> bool in(range const (&ranges)[Count], std::uint32_t code) {
    for (auto const& one : ranges)
        if (code >= one.first && code <= one.last) return true;
    return false;
}

/// Control characters, which a terminal obeys; what changes the order of the characters around it; what separates lines; what
/// cannot be seen. One name could pass for another.
constexpr range deceptive[]{{0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},      {0x61C, 0x61C},
                            {0x200B, 0x200B}, {0x200E, 0x200F}, {0x2028, 0x202E},  {0x2060, 0x206F},
                            {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};

/// Drawn over the character before them.
constexpr range combining[]{{0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},   {0x610, 0x61A},
                            {0x64B, 0x65F},   {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200C, 0x200D},
                            {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};

/// Two columns: East Asian wide and full-width characters, emoji.
constexpr range wide[]{{0x1100, 0x115F},   {0x231A, 0x231B},   {0x2E80, 0x303E},   {0x3041, 0x33FF},
                       {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xAC00, 0xD7A3},
                       {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
                       {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

std::size_t width_of(std::uint32_t code) {
    return in(combining, code) ? 0 : in(wide, code) ? 2 : 1;
}

std::string escaped(std::string_view bytes, bool double_backslash) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string result;
    result.reserve(bytes.size());
    for (std::size_t at = 0; at < bytes.size();) {
        auto const length = character_length(bytes, at);
        auto const character = bytes.substr(at, std::max<std::size_t>(length, 1));
        if (length == 0 || in(deceptive, code_point(character))) {
            for (char const each : character) {
                auto const byte = static_cast<unsigned char>(each);
                result += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
            }
        } else {
            if (character == "\\" && double_backslash) result += '\\';
            result += character;
        }
        at += character.size();
    }
    return result;
}

/// What must not be torn: an escape, or a character with what is drawn over it.
std::size_t unit_length(std::string_view text, std::size_t at) {
    if (text.substr(at).starts_with("\\x")) return std::min<std::size_t>(4, text.size() - at);
    if (text.substr(at).starts_with("\\\\")) return 2;
    auto length = std::max<std::size_t>(character_length(text, at), 1);
    while (at + length < text.size()) {
        auto const next = character_length(text, at + length);
        if (next == 0 || width_of(code_point(text.substr(at + length, next))) != 0) break;
        length += next;
    }
    return length;
}

} // namespace

std::string printable(std::string_view bytes) {
    return escaped(bytes, true);
}

std::string printable_message(std::string_view bytes) {
    return escaped(bytes, false);
}

std::string printable_json(std::string_view line) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string result;
    result.reserve(line.size());
    for (std::size_t at = 0; at < line.size();) {
        auto const length = std::max<std::size_t>(character_length(line, at), 1);
        auto const character = line.substr(at, length);
        auto const code = code_point(character);
        if (code < 0x7F || !in(deceptive, code)) {
            result += character;
        } else {
            auto const unit = [&](std::uint32_t value) {
                result += "\\u";
                for (int shift = 12; shift >= 0; shift -= 4) result += digits[value >> shift & 15U];
            };
            if (code >= 0x10000) unit(0xD800 + ((code - 0x10000) >> 10)); // a surrogate pair
            unit(code >= 0x10000 ? 0xDC00 + ((code - 0x10000) & 0x3FF) : code);
        }
        at += length;
    }
    return result;
}

std::size_t columns(std::string_view utf8) noexcept {
    std::size_t count = 0;
    for (std::size_t at = 0; at < utf8.size();) {
        auto const length = std::max<std::size_t>(character_length(utf8, at), 1);
        count += width_of(code_point(utf8.substr(at, length)));
        at += length;
    }
    return count;
}

std::string shortened(std::string_view bytes, std::size_t most) {
    constexpr std::string_view gap = "...";
    constexpr std::size_t bytes_to_a_column = 16; // of a character with what is drawn over it; what is torn is left out
    std::string text;
    if (auto const part = bytes_to_a_column * most; bytes.size() > 2 * part)
        text = printable(bytes.substr(0, character_boundary(bytes, part)))
               + printable(bytes.substr(character_boundary(bytes, bytes.size() - part)));
    else
        text = printable(bytes);
    auto left = columns(text);
    if (left <= most) return text;
    auto const room = most > gap.size() ? most - gap.size() : 0;
    std::size_t front = 0;
    for (std::size_t used = 0; front < text.size();) {
        auto const length = unit_length(text, front);
        auto const width = columns(std::string_view(text).substr(front, length));
        if (used + width > room - room / 2) break;
        used += width;
        left -= width;
        front += length;
    }
    auto back = front;
    while (left > room / 2) {
        auto const length = unit_length(text, back);
        left -= columns(std::string_view(text).substr(back, length));
        back += length;
    }
    return text.substr(0, front).append(gap).append(text, back);
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

namespace {

/// A terminal takes as much as it has room for, and then waits for its reader: with a description of its own it does not.
/// None: it cannot be opened, as after su(1).
std::optional<bool> write_to_terminal_at_once(int descriptor, std::string_view line) noexcept {
    char path[32];
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    class descriptor const own(::open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!own) return std::nullopt;
    return ::write(own.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

} // namespace

bool write_at_once(int descriptor, std::string_view line) noexcept {
    pollfd entry{descriptor, POLLOUT, 0};
    if (::poll(&entry, 1, 0) != 1) return false;
    if (::isatty(descriptor) == 1) {
        auto const written = write_to_terminal_at_once(descriptor, line);
        return written ? *written : write_all(descriptor, line);
    }
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || !(S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)))
        return write_all(descriptor, line);
    if (line.size() > PIPE_BUF) return false;
    // Somebody else, the command for instance, may fill it in this moment.
    iovec part{const_cast<char*>(line.data()), line.size()}; // it is only read
    auto const put = ::pwritev2(descriptor, &part, 1, -1, RWF_NOWAIT);
    if (put < 0 && (errno == EOPNOTSUPP || errno == ENOSYS)) return write_all(descriptor, line); // an old kernel
    return put == static_cast<ssize_t>(line.size());
}

void print(std::string_view text) {
    if (!write_all(STDOUT_FILENO, text))
        throw output_error(std::string("the output cannot be written to stdout: ") + std::strerror(errno));
}

} // namespace redlatch::cli
