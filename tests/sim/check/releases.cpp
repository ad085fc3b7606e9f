// What a release may answer, by the server's own history of the key.
#include "sim/check/promises.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace redlatch::sim {
namespace {

using kind = fact::kind;

struct release {
    moment began{0};
    moment valid_until{0};
    bool was_lost = false;      ///< its holder knew
    bool was_in_key = false;    ///< at some moment since it began
    bool was_taken_out = false; ///< by anything but a release of its process
    bool in_quiet = false;
};

/// Of one hold on the server.
struct in_key {
    bool now = false;
    bool ever = false;
    /// Its process did not take it out, and it is not there, or only on a new master, which has not heard of that.
    bool taken_out = false;
    bool returned = false; ///< on a new master
};

/// A hold of several values is lost with one of them: they have one owner.
release in_whole(std::pair<place, release> const& what, std::map<place, in_key> const& keys) {
    auto whole = what.second;
    for (auto const& [where, known] : keys)
        if (known.ever && known.taken_out && where.second == what.first.second) whole.was_taken_out = true;
    return whole;
}

std::string judge(fact const& end, release const& how, release_rules const& rules, bool kept) {
    switch (end.said) {
    case answer::done:
        if (how.was_in_key || !kept) return {};
        return " was told that it released a lock that it did not have any more";
    case answer::lost:
        if (how.was_lost || how.was_taken_out || end.when + rules.slack >= how.valid_until) return {};
        return " was told that its lock was lost, which was there until this release";
    case answer::outcome_unknown:
        if (how.in_quiet && how.valid_until - how.began > rules.round_trip)
            return " was told that nobody knows what became of its release, though nothing was wrong";
        if (end.when - how.began + rules.slack >= std::min(rules.timeout, how.valid_until - how.began)) return {};
        return " was told that nobody knows what became of its release, though there was time to learn it";
    case answer::refused:
        if (rules.nothing_refused) return " was told of its release: " + end.text;
        [[fallthrough]];
    case answer::busy:
    case answer::timed_out:
    case answer::cancelled:
    case answer::disconnected:
    case answer::closed:
    case answer::other:
        if (!how.in_quiet || rules.rights_missing) return {};
        return " was told of its release: " + end.text;
    case answer::not_replicated:
    case answer::untold: break;
    }
    return {};
}

} // namespace

std::optional<violation> check_releases(history const& all, release_rules const& rules) {
    promises sure;
    std::map<place, in_key> keys;
    std::map<std::pair<int, int>, std::pair<place, release>> open; // by process and worker
    std::set<int> closing;
    bool quiet = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = all[i];
        auto const who = std::pair(one.process, one.worker);
        if (one.what == kind::quiet) quiet = true;
        if (one.what == kind::fault) quiet = false;
        if (one.what == kind::closing) closing.insert(one.process);
        if (one.what == kind::returned) keys[{one.lock, one.owner}].returned = true;
        if (one.what == kind::in_key) {
            auto& known = keys[{one.lock, one.owner}];
            known.now = one.yes;
            known.ever = known.ever || one.yes;
            bool its_own = false;
            for (auto& [releaser, what] : open) {
                if (what.first != place(one.lock, one.owner)) continue;
                what.second.was_in_key = what.second.was_in_key || one.yes;
                its_own = its_own || one.process == releaser.first;
            }
            known.taken_out = one.yes ? known.taken_out && known.returned : !its_own;
            for (auto& [releaser, what] : open)
                if (what.first == place(one.lock, one.owner) && known.taken_out) what.second.was_taken_out = true;
        }
        if (one.what == kind::releasing) {
            auto const& known = keys[{one.lock, one.owner}];
            open[who] = {{one.lock, one.owner},
                         {.began = one.when,
                          .valid_until = one.until,
                          .was_lost = one.believed == belief::lost,
                          .was_in_key = known.now,
                          .was_taken_out = !known.now || known.taken_out, // its process may ask the old master
                          .in_quiet = quiet}};
        }
        if (one.what == kind::fault)
            for (auto& [releaser, what] : open) what.second.in_quiet = false;
        if (auto const found = open.find(who); one.what == kind::released && found != open.end()) {
            if (!closing.contains(one.process))
                if (auto text = judge(one, in_whole(found->second, keys), rules, sure.kept(one)); !text.empty())
                    return make("releases", i, one.owner + text);
            open.erase(found);
        }
        sure.see(one);
    }
    return std::nullopt;
}

} // namespace redlatch::sim
