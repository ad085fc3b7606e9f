#include "api/environment_text.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace redlatch {

namespace {

constexpr std::string_view name_bytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

/// Behind the name; nothing where there is none.
std::string fallback_of(std::string_view reference) {
    auto fallback = reference.substr(std::min(reference.find(':'), reference.size() - 1) + 1);
    if (fallback.starts_with('-')) fallback.remove_prefix(1);
    return std::string(fallback);
}

/// Of what stands between the braces.
std::string value_of(std::string_view reference) {
    auto const colon = reference.find(':');
    std::string const name(reference.substr(0, colon));
    if (char const* const value = ::secure_getenv(name.c_str())) return value;
    if (colon == std::string_view::npos)
        throw error(errc::bad_config,
                    "the environment has no variable " + name + "; set it, or write ${" + name + ":-default}");
    return fallback_of(reference);
}

bool is_reference(std::string_view inner) {
    auto const name = inner.substr(0, inner.find(':'));
    return !name.empty() && name.find_first_not_of(name_bytes) == std::string_view::npos;
}

/// `replaced` says what stands in the place of each reference, of which it gets what is between the braces.
template <class Replaced> std::string without_references(std::string_view text, Replaced replaced) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        auto const end = text.substr(at, 2) == "${" ? text.find('}', at) : std::string_view::npos;
        auto const inner = end == std::string_view::npos ? std::string_view{} : text.substr(at + 2, end - at - 2);
        if (is_reference(inner)) {
            out += replaced(inner);
            at = end + 1;
        } else {
            out += text[at++];
        }
    }
    return out;
}

} // namespace

std::string with_environment(std::string_view text) {
    return without_references(text, value_of);
}

std::string without_environment(std::string_view text) {
    return without_references(text, fallback_of);
}

} // namespace redlatch
