#include "api/lock_scan.hpp"

#include "locking/names.hpp"
#include "locking/recipes/fair.hpp"

namespace redlatch::detail {
namespace {

bool is_name(std::string_view text) noexcept {
    return !text.empty() && text.size() <= locking::longest_name;
}

/// "{name}", where nothing in it is a bracket that opens: then it is the key of that name, and not of one with brackets.
std::string_view plain_name_in(std::string_view text) noexcept {
    if (text.size() <= 2 || text.front() != '{' || text.back() != '}') return {};
    auto const inner = text.substr(1, text.size() - 2);
    return inner.find('{') == std::string_view::npos ? inner : std::string_view();
}

} // namespace

void lock_scan::begin_again() {
    cursor = "0";
    done = false;
    bounds = {};
}

std::string_view lock_scan::name_in(std::string_view key) const noexcept {
    if (what == kind::locks) return is_name(key) ? key : std::string_view();
    constexpr auto before = locking::fair::before_queue;
    if (!key.starts_with(before) || !key.substr(before.size()).starts_with(':')) return {};
    key.remove_prefix(before.size() + 1);
    auto name = plain_name_in(key);
    if (name.empty()) {
        if (what == kind::queues_of_plain || key.find('{') == std::string_view::npos) return {};
        name = key;
    } else if (what == kind::queues_of_tagged) {
        return {};
    }
    return is_name(name) ? name : std::string_view();
}

std::vector<lock_scan> scans_for_locks(std::string_view pattern) {
    std::string const given(pattern);
    auto const queue = std::string(locking::fair::before_queue) + ':';
    std::vector<lock_scan> scans;
    scans.push_back({.what = lock_scan::kind::locks, .pattern = given});
    if (given == "*") {
        scans.push_back({.what = lock_scan::kind::queues, .pattern = queue + given});
        return scans;
    }
    bool const has_bracket = given.find('{') != std::string::npos;
    bool const has_class = given.find('[') != std::string::npos;
    if (!has_bracket || has_class) // otherwise whatever matches has one
        scans.push_back({.what = lock_scan::kind::queues_of_plain, .pattern = queue + '{' + given + '}'});
    if (has_bracket || has_class || given.find_first_of("*?") != std::string::npos) // otherwise nothing has one
        scans.push_back({.what = lock_scan::kind::queues_of_tagged, .pattern = queue + given});
    return scans;
}

} // namespace redlatch::detail
