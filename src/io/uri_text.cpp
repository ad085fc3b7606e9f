#include "io/uri_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace redlatch::io {

namespace {

constexpr std::string_view digits = "0123456789ABCDEF";

void append_hexadecimal(std::string& out, char byte) {
    auto const number = static_cast<unsigned char>(byte);
    out += digits[number >> 4U];
    out += digits[number & 15U];
}

bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

bool is_plain_path_byte(char byte) {
    constexpr std::string_view others = "/-._~!$&'()*+,;=:@";
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || is_digit(byte)
           || others.find(byte) != std::string_view::npos;
}

/// Values of a query, but for the database, may be passwords.
std::string masked_query(std::string_view query) {
    std::string out;
    while (!query.empty()) {
        auto const parameter = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(parameter.size() + 1, query.size()));
        if (!out.empty()) out += '&';
        auto const name = parameter.substr(0, parameter.find('='));
        if (name == "db" || name.size() == parameter.size())
            out += parameter;
        else
            out.append(name).append("=***");
    }
    return out;
}

/// Without a user in front: `host:port`. A port that is no number may be a password whose host was forgotten.
std::string masked_host(std::string_view text) {
    auto const slash = std::min(text.find('/'), text.size());
    auto const host = text.substr(0, slash);
    auto const bracket = host.starts_with('[') ? host.find(']') : std::string_view::npos;
    auto const colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
    if (colon == std::string_view::npos
        || std::all_of(host.begin() + static_cast<std::ptrdiff_t>(colon) + 1, host.end(),
                       [](char byte) { return is_digit(byte) || byte == ':'; }))
        return std::string(text);
    return std::string(host.substr(0, colon + 1)).append("***").append(text.substr(slash));
}

} // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            out += text[at];
            continue;
        }
        auto const code = text.substr(at + 1, 2);
        unsigned number = 0;
        auto const [end, problem] = std::from_chars(code.data(), code.data() + code.size(), number, 16);
        if (code.size() != 2 || problem != std::errc{} || end != code.data() + 2) return std::nullopt;
        out += static_cast<char>(number);
        at += 2;
    }
    return out;
}

std::string percent_encoded_path(std::string_view path) {
    std::string out;
    for (char const byte : path) {
        if (is_plain_path_byte(byte)) {
            out += byte;
        } else {
            out += '%';
            append_hexadecimal(out, byte);
        }
    }
    return out;
}

std::string printable(std::string_view text, std::size_t most) {
    std::string out;
    for (char const byte : text.substr(0, most)) {
        if (static_cast<unsigned char>(byte) < ' ' || byte == '\x7f') {
            out += "\\x";
            append_hexadecimal(out, byte);
        } else {
            out += byte;
        }
    }
    if (text.size() > most) out += "…";
    return out;
}

std::string lower_case(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](char byte) {
        return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
    });
    return out;
}

bool has_password(std::string_view uri) {
    auto const scheme_end = uri.find("://");
    if (scheme_end == std::string_view::npos) return false;
    auto const rest = uri.substr(scheme_end + 3);
    auto const at = rest.rfind('@');
    auto const colon = rest.find(':');
    return !rest.starts_with('/') && at != std::string_view::npos && colon != std::string_view::npos && colon + 1 < at;
}

std::string masked_uri(std::string_view uri) {
    auto const scheme_end = uri.find("://");
    auto const start = scheme_end == std::string_view::npos ? 0 : scheme_end + 3;
    std::string out(uri.substr(0, start));
    auto rest = uri.substr(start);
    auto const scheme = lower_case(uri.substr(0, scheme_end));
    auto const is_path = rest.starts_with('/') && (scheme == "unix" || scheme.ends_with("+uds"));
    // Up to the very last @, wherever it is: a malformed URI may have / or ? in its password.
    if (auto const at = rest.rfind('@'); at != std::string_view::npos && !is_path) {
        auto const colon = rest.find(':');
        if (colon < at) out += rest.substr(0, colon + 1);
        out += "***@";
        rest.remove_prefix(at + 1);
        auto const mark = std::min(rest.find('?'), rest.size());
        out += rest.substr(0, mark);
        if (mark < rest.size()) out.append("?").append(masked_query(rest.substr(mark + 1)));
        return printable(out);
    }
    auto const mark = std::min(rest.find('?'), rest.size());
    out += is_path ? std::string(rest.substr(0, mark)) : masked_host(rest.substr(0, mark));
    if (mark < rest.size()) out.append("?").append(masked_query(rest.substr(mark + 1)));
    return printable(out);
}

} // namespace redlatch::io
