#include "api/name_prefix.hpp"

namespace redlatch::detail {

std::string with_prefix(std::string const& prefix, std::string const& name) {
    return name.starts_with(prefix) ? name : prefix + name;
}

std::string without_prefix(std::string const& prefix, std::string name) {
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
    return name;
}

std::string pattern_with_prefix(std::string_view prefix, std::string_view pattern) {
    if (pattern.starts_with(prefix)) pattern.remove_prefix(prefix.size());
    std::string result;
    for (char const byte : prefix) {
        if (std::string_view("*?[]\\").find(byte) != std::string_view::npos) result += '\\';
        result += byte;
    }
    return result.append(pattern);
}

} // namespace redlatch::detail
