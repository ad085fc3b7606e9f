#include "api/permit_listing.hpp"

#include "api/key_search.hpp"
#include "api/name_prefix.hpp"
#include "api/number_search.hpp"
#include "api/permit_view.hpp"
#include "locking/names.hpp"
#include "locking/recipes/permits.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace redlatch::detail {
namespace {

constexpr char const* about_permits = "listing permit semaphores";
constexpr std::string_view timeouts_suffix = ":timeout";

/// One SCAN for the keys that say what is taken. "{x}:timeout" belongs to 'x', and to '{x}' as well.
struct permit_scan {
    std::string pattern;
    bool bare = true;   ///< it may belong to 'x'
    bool tagged = true; ///< and to a name with brackets of its own
};

std::vector<permit_scan> scans_for(std::string_view pattern) {
    std::string const suffix(timeouts_suffix);
    if (pattern == "*") return {{"*" + suffix}};
    std::string const given(pattern);
    return {{"{" + given + "}" + suffix, true, false}, {given + suffix, false, true}};
}

void add_name(std::vector<std::string>& names, std::string_view name, std::string_view key) {
    bool const fits =
        !name.empty() && name.size() <= locking::longest_name && locking::permits::timeouts_of(name) == key;
    if (fits) names.emplace_back(name);
}

/// Those that the key may belong to.
std::vector<std::string> names_of(std::string_view key, permit_scan const& found_by) {
    std::vector<std::string> names;
    if (!key.ends_with(timeouts_suffix)) return names;
    auto const before = key.substr(0, key.size() - timeouts_suffix.size());
    if (found_by.bare && before.size() > 2) add_name(names, before.substr(1, before.size() - 2), key);
    if (found_by.tagged) add_name(names, before, key);
    return names;
}

/// What is no permit semaphore after all is left out; what may not be looked at has its problem.
std::vector<permit_info> look_at_all(std::shared_ptr<io::client_core> const& core, io::node& server,
                                     std::vector<std::string> const& names, bool with_untaken) {
    std::vector<std::string> commands;
    for (auto const& name : names)
        for (auto& one : ask_for_permits(name)) commands.push_back(std::move(one));
    if (commands.empty()) return {};
    auto const answers = ask_together(core, server, std::move(commands), about_permits);
    std::vector<permit_info> found;
    for (std::size_t i = 0; i < names.size(); ++i) {
        auto const own = std::span(answers).subspan(i * questions_about_permits, questions_about_permits);
        try {
            auto info = to_permit_info(*core, names[i], "looking at permit semaphore " + locking::shown(names[i]), own);
            if (info.is_set && (with_untaken || info.taken > 0)) found.push_back(std::move(info));
        } catch (error const& problem) {
            if (problem.reason() == errc::wrong_type || problem.reason() == errc::bad_reply) continue;
            found.push_back({.name = names[i], .problem = problem.what()});
        }
    }
    return found;
}

/// Of numbers, each of which may be the number of one.
std::vector<permit_info> look_at_numbers(std::shared_ptr<io::client_core> const& core, io::node& server,
                                         std::vector<counter_info> numbers) {
    std::vector<permit_info> unreadable;
    std::vector<std::string> names;
    for (auto& one : numbers) {
        if (one.problem.empty())
            names.push_back(std::move(one.name));
        else
            unreadable.push_back({.name = std::move(one.name), .problem = std::move(one.problem)});
    }
    auto found = look_at_all(core, server, names, true);
    std::move(unreadable.begin(), unreadable.end(), std::back_inserter(found));
    return found;
}

} // namespace

void visit_permits(std::shared_ptr<io::client_core> const& core, std::string_view pattern,
                   permit_visit_options const& options, std::function<void(std::vector<permit_info>)> const& each) {
    auto const& prefix = core->settings().name_prefix;
    auto const show = [&](std::vector<permit_info> found) {
        for (auto& one : found) one.name = without_prefix(prefix, std::move(one.name));
        if (!found.empty()) each(std::move(found));
    };
    if (options.with_untaken)
        return visit_numbers(core, about_permits, pattern, [&](io::node& server, std::vector<counter_info> numbers) {
            show(look_at_numbers(core, server, std::move(numbers)));
        });
    for (auto const& scan : scans_for(pattern_with_prefix(prefix, pattern))) {
        key_search search(core, scan.pattern, "zset", about_permits);
        for (auto* const server : core->masters())
            search.visit(*server, [&](std::vector<std::string> const& keys) {
                std::vector<std::string> names;
                for (auto const& key : keys)
                    for (auto& name : names_of(key, scan)) names.push_back(std::move(name));
                show(look_at_all(core, *server, names, false));
            });
    }
}

} // namespace redlatch::detail
