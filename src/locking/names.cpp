#include "locking/names.hpp"

namespace redlatch::locking {

std::string prefixed(std::string_view prefix, std::string_view name) {
    bool const has_tag = name.find('{') != std::string_view::npos;
    std::string out;
    out.reserve(prefix.size() + name.size() + 3);
    out.append(prefix).append(has_tag ? ":" : ":{").append(name);
    if (!has_tag) out.push_back('}');
    return out;
}

std::string shown(std::string_view name) {
    constexpr std::size_t most = 100;
    constexpr auto* digits = "0123456789abcdef";
    std::string out = "'";
    for (char const c : name.substr(0, most)) {
        auto const byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte != 0x7f) {
            out.push_back(c);
        } else {
            out.append("\\x");
            out.push_back(digits[byte >> 4U]);
            out.push_back(digits[byte & 15U]);
        }
    }
    if (name.size() > most) out += "..." + std::to_string(name.size()) + " bytes";
    out.push_back('\'');
    return out;
}

} // namespace redlatch::locking
