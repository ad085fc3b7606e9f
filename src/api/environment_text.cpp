#include "api/environment_text.hpp"

#include <redlatch/error.hpp>

#include <cstddef>
#include <cstdlib>
#include <vector>

namespace redlatch {

namespace {

constexpr std::string_view name_bytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

/// Defaults within defaults, and names that lead to other names.
constexpr int deepest = 20;
constexpr std::size_t longest_value = 1024 * 1024;

struct reference {
    std::string_view name;
    std::optional<std::string_view> fallback; ///< what stands behind the name

    /// Without the `-` of Redisson's form.
    std::string_view fallback_text() const {
        auto const text = fallback.value_or(std::string_view());
        return text.starts_with('-') ? text.substr(1) : text;
    }
};

char const* variable(std::string_view name) {
    return ::secure_getenv(std::string(name).c_str());
}

/// What stands between the braces; none: it is no reference.
std::optional<reference> to_reference(std::string_view inner) {
    auto const colon = inner.find(':');
    reference found{.name = inner.substr(0, colon), .fallback = std::nullopt};
    if (found.name.empty() || found.name.find_first_not_of(name_bytes) != std::string_view::npos) return std::nullopt;
    if (colon != std::string_view::npos) found.fallback = inner.substr(colon + 1);
    return found;
}

/// Of each `${` where its brace is closed; npos: nowhere. A default may have references of its own.
std::vector<std::size_t> closing_braces(std::string_view text) {
    std::vector<std::size_t> closing(text.size(), std::string_view::npos);
    std::vector<std::size_t> open;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text.substr(at, 2) == "${") {
            open.push_back(at++);
        } else if (text[at] == '}' && !open.empty()) {
            closing[open.back()] = at;
            open.pop_back();
        }
    }
    return closing;
}

/// `replaced(reference, depth)` gives the text that stands for a reference; `depth` limits references within references.
template <class Replaced> std::string without_references(std::string_view text, int depth, Replaced replaced) {
    if (text.find("${") == std::string_view::npos) return std::string(text);
    if (depth > deepest)
        throw error(errc::bad_config, "a reference to a variable leads to another one more than "
                                          + std::to_string(deepest) + " times, or to itself");
    auto const closing = closing_braces(text);
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        auto const end = closing[at];
        auto const found = end == std::string_view::npos ? std::optional<reference>()
                                                         : to_reference(text.substr(at + 2, end - at - 2));
        if (found) {
            out += replaced(*found, depth + 1);
            if (out.size() > longest_value)
                throw error(errc::bad_config,
                            "with its references a value is longer than " + std::to_string(longest_value) + " bytes");
            at = end + 1;
        } else {
            out += text[at++];
        }
    }
    return out;
}

std::string from_environment(std::string_view text, int depth) {
    return without_references(text, depth, [](reference const& one, int deeper) -> std::string {
        if (char const* const value = variable(one.name)) return value;
        auto const name = std::string(one.name);
        if (!one.fallback)
            throw error(errc::bad_config,
                        "the environment has no variable " + name + "; set it, or write ${" + name + ":-default}");
        return from_environment(one.fallback_text(), deeper);
    });
}

std::string from_defaults(std::string_view text, int depth) {
    return without_references(
        text, depth, [](reference const& one, int deeper) { return from_defaults(one.fallback_text(), deeper); });
}

std::string from_document(std::string_view text, int depth, own_value const& own) {
    return without_references(text, depth, [&own](reference const& one, int deeper) {
        auto left = "${" + std::string(one.name) + "}";
        if (variable(one.name) != nullptr) return left;
        if (auto const value = own(one.name)) return from_document(*value, deeper, own);
        return one.fallback ? from_document(one.fallback_text(), deeper, own) : left;
    });
}

} // namespace

std::string with_environment(std::string_view text) {
    return from_environment(text, 0);
}

std::string without_environment(std::string_view text) {
    return from_defaults(text, 0);
}

std::string with_own_values(std::string_view text, own_value own) {
    return from_document(text, 0, own);
}

} // namespace redlatch
