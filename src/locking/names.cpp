#include "locking/names.hpp"

#include <algorithm>
#include <array>

namespace redlatch::locking {
namespace {

constexpr std::string_view before_request_record = "redlatch_request";

/// How many bytes at the beginning a terminal would obey, or let turn the direction of writing: control characters in ASCII and
/// beyond (U+0080 to U+009F), marks of direction, separators of lines.
std::size_t unshowable(std::string_view text) {
    auto const byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; };
    if (byte(0) < 0x20 || byte(0) == 0x7F) return 1;
    if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) <= 0x9F) return 2;
    constexpr std::array<std::string_view, 14> marks{
        "\xd8\x9c",     "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaa", "\xe2\x80\xab",
        "\xe2\x80\xac", "\xe2\x80\xad", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa7", "\xe2\x81\xa8", "\xe2\x81\xa9"};
    auto const found = std::find_if(marks.begin(), marks.end(), [&](auto mark) { return text.starts_with(mark); });
    return found == marks.end() ? 0 : found->size();
}

} // namespace

prefixed_text::prefixed_text(std::string_view prefix, std::string_view name) {
    if (name.find('{') == std::string_view::npos)
        assign({prefix, ":{", name, "}"});
    else
        assign({prefix, ":", name});
}

std::string prefixed(std::string_view prefix, std::string_view name) {
    return prefixed_text(prefix, name).str();
}

std::string request_record(std::string_view name, std::string_view request_id) {
    return prefixed(before_request_record, name).append(1, ':').append(request_id);
}

std::string read_hold_prefix(std::string_view name) {
    if (name.find('{') != std::string_view::npos) return std::string(name).append(1, ':');
    return std::string("{").append(name).append("}:");
}

bool is_number_beside(std::string_view key) noexcept {
    for (auto const before : {before_token_counter, before_request_record, std::string_view("redisson_unlock_latch")})
        if (key.starts_with(before) && key.substr(before.size()).starts_with(':')) return true;
    constexpr std::string_view of_read_hold = ":rwlock_timeout:";
    auto const at = key.rfind(of_read_hold);
    if (at == std::string_view::npos) return false;
    auto const number = key.substr(at + of_read_hold.size());
    return !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string kept_owner(std::string_view owner_id) {
    auto const number = std::min(owner_id.find(':'), owner_id.size() - 1) + 1;
    auto const behind = std::min(owner_id.find(':', number), owner_id.size());
    return std::string(owner_id.substr(0, number)).append(1, '0').append(owner_id.substr(behind));
}

std::string literal(std::string_view name) {
    std::string out;
    for (char const byte : name) {
        if (std::string_view("*?[]\\").find(byte) != std::string_view::npos) out.push_back('\\');
        out.push_back(byte);
    }
    return out;
}

std::string shown(std::string_view name) {
    constexpr std::size_t most = 100;
    constexpr auto* digits = "0123456789abcdef";
    std::string out = "'";
    auto const text = name.substr(0, most);
    for (std::size_t at = 0, escaped = 0; at < text.size(); ++at) {
        if (escaped == 0) escaped = unshowable(text.substr(at));
        if (escaped == 0) {
            out.push_back(text[at]);
            continue;
        }
        --escaped;
        auto const byte = static_cast<unsigned char>(text[at]);
        out.append("\\x");
        out.push_back(digits[byte >> 4U]);
        out.push_back(digits[byte & 15U]);
    }
    if (name.size() > most) out += "..." + std::to_string(name.size()) + " bytes";
    out.push_back('\'');
    return out;
}

} // namespace redlatch::locking
