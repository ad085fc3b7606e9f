#include "api/permit_listing.hpp"

#include "api/both_forms.hpp"
#include "api/name_prefix.hpp"
#include "api/permit_view.hpp"
#include "api/scan_bounds.hpp"
#include "connection/server_error.hpp"
#include "io/query_batch.hpp"
#include "locking/names.hpp"
#include "locking/recipes/permits.hpp"
#include "resp/command.hpp"

#include <redlatch/error.hpp>

#include <span>
#include <unordered_set>
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

std::vector<resp::value> ask(std::shared_ptr<io::client_core> const& core, io::node& server,
                             std::vector<std::string> commands) {
    return run_now<io::query_batch>(
        core, about_permits, [](io::query_batch const& answered) { return answered.replies(); }, &server,
        std::move(commands), about_permits);
}

/// What is no permit semaphore after all is left out; what may not be looked at has its problem.
std::vector<permit_info> look_at_all(std::shared_ptr<io::client_core> const& core, io::node& server,
                                     std::vector<std::string> const& names) {
    std::vector<std::string> commands;
    for (auto const& name : names)
        for (auto& one : ask_for_permits(name)) commands.push_back(std::move(one));
    if (commands.empty()) return {};
    auto const answers = ask(core, server, std::move(commands));
    std::vector<permit_info> found;
    for (std::size_t i = 0; i < names.size(); ++i) {
        auto const own = std::span(answers).subspan(i * questions_about_permits, questions_about_permits);
        try {
            auto info = to_permit_info(*core, names[i], "looking at permit semaphore " + locking::shown(names[i]), own);
            if (info.is_set && info.taken > 0) found.push_back(std::move(info));
        } catch (error const& problem) {
            if (problem.reason() == errc::wrong_type || problem.reason() == errc::bad_reply) continue;
            found.push_back({.name = names[i], .problem = problem.what()});
        }
    }
    return found;
}

[[noreturn]] void give_up(io::node& server, std::string const& reason) {
    throw error(errc::bad_reply, std::string(about_permits) + " was given up: SCAN on the server " + server.address()
                                     + " does not come to an end (" + reason
                                     + "); ask with a narrower pattern, or find out what answers there");
}

void visit_scan(std::shared_ptr<io::client_core> const& core, io::node& server, permit_scan const& scan,
                std::function<void(std::vector<permit_info>)> const& each) {
    scan_bounds bounds;
    std::unordered_set<std::string> seen; // SCAN may name a key twice
    std::string cursor = "0";
    do {
        auto const page =
            ask(core, server, {resp::command("SCAN", cursor, "MATCH", scan.pattern, "COUNT", "500", "TYPE", "zset")})
                .front();
        if (page.is_error()) {
            auto const reason = connection::to_errc(connection::judge(page));
            throw error(reason, io::query_message(server, about_permits, reason, page));
        }
        if (!page.is_array() || page.items.size() != 2 || !page.items[0].is_text() || !page.items[1].is_array())
            throw error(errc::bad_reply, "the server sent an unexpected reply to SCAN");
        std::vector<std::string> names;
        std::size_t fresh = 0;
        for (auto const& key : page.items[1].items) {
            if (!seen.insert(key.text).second) continue;
            ++fresh;
            for (auto& name : names_of(key.text, scan)) names.push_back(std::move(name));
        }
        cursor = page.items[0].text;
        auto found = look_at_all(core, server, names);
        for (auto& one : found) one.name = without_prefix(core->settings().name_prefix, std::move(one.name));
        if (!found.empty()) each(std::move(found));
        if (auto const why = bounds.on_page(cursor, page.items[1].items.size(), fresh)) give_up(server, *why);
    } while (cursor != "0");
}

} // namespace

void visit_permits(std::shared_ptr<io::client_core> const& core, std::string_view pattern,
                   std::function<void(std::vector<permit_info>)> const& each) {
    for (auto* const server : core->masters())
        for (auto const& scan : scans_for(pattern_with_prefix(core->settings().name_prefix, pattern)))
            visit_scan(core, *server, scan, each);
}

} // namespace redlatch::detail
