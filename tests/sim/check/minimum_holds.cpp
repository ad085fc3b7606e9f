#include "sim/check/promises.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace redlatch::sim {
namespace {

/// A hold that nobody else may come after before `until`. One of a reader keeps writers out, and so does one of a writer who
/// was reading when it ceased to write; any other one keeps out everybody.
struct kept {
    std::string owner;
    moment until;
    bool readers_may_come;
};

/// What a release has left in the key: for so long at the most.
struct rest {
    std::string of;
    std::string as;
    moment since;
    moment lasts;
    moment held; ///< before, while clocks differed in speed
};

struct end_of_hold {
    moment over;
    moment began;
};
struct time_to_keep {
    moment lasts;
    moment held;
};

struct lock_seen {
    std::vector<kept> all{};
    std::set<std::string> inside{};            ///< who is in the key; not what is left of holds
    std::map<std::string, end_of_hold> over{}; ///< when the minimum holds of owners are
    std::map<std::string, time_to_keep>
        to_keep{};                ///< of those who have begun to release: for how long what is left may stay
    std::set<std::string> lost{}; ///< released as soon as it was lost, and perhaps once more by who had it
    std::string went{};           ///< the owner who left the key last
    moment went_at{0};
    std::optional<rest> left{};
};

bool writes(std::string const& owner) {
    return owner.ends_with(":write");
}

void leaves(lock_seen& lock, std::string const& owner) {
    lock.inside.erase(owner);
    for (auto& one : lock.all)
        if (one.owner == owner && writes(owner)) one.readers_may_come = !lock.inside.empty(); // its own read hold
}

/// What a release leaves is told to the server as a time from then on: however late it is heard of, it lasts no longer.
void begins_to_release(lock_seen& lock, fact const& one) {
    if (one.what == fact::kind::told_lost)
        lock.lost.insert(one.owner);
    else if (lock.lost.contains(one.owner))
        return;
    auto const found = lock.over.find(one.owner);
    if (found == lock.over.end()) return;
    auto const& [over, began] = found->second;
    lock.to_keep[one.owner] = {std::max(over - one.when, moment(0)), one.when - began};
}

void is_left(lock_seen& lock, fact const& one) {
    lock.left.reset();
    auto const found = lock.to_keep.find(lock.went);
    if (lock.went_at == one.when && found != lock.to_keep.end())
        lock.left = {lock.went, one.owner, one.when, found->second.lasts, found->second.held};
}

/// Clocks differ in speed, each by three halves of a thousandth at the most, and leases are whole milliseconds.
bool stays_too_long(rest const& left, fact const& one) {
    auto const slack = std::chrono::milliseconds(5) + left.lasts / 100 + left.held * 3 / 1000;
    return one.owner == left.as && one.until - left.since > left.lasts + slack;
}

/// Whose minimum hold it ends; nobody's: none.
kept const* comes_too_soon(lock_seen& lock, fact const& one) {
    bool const beside = std::any_of(lock.inside.begin(), lock.inside.end(), writes); // a writer's own read hold
    lock.inside.insert(one.owner);
    std::erase_if(lock.all, [&](kept const& each) { return each.until <= one.when; });
    for (auto const& each : lock.all) {
        if (each.owner == one.owner) continue;
        bool const may_read = each.readers_may_come || (writes(each.owner) && beside);
        if (!may_read || writes(one.owner)) return &each;
    }
    return nullptr;
}

} // namespace

std::optional<violation> check_minimum_holds(history const& all) {
    using kind = fact::kind;
    std::map<int, lock_seen> locks;
    std::set<place> ended; // perhaps before it is known here that it was acquired
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = all[i];
        if (one.what == kind::acquired && one.kept > moment(0) && !ended.contains({one.lock, one.owner}))
            locks[one.lock].all.push_back({one.owner, one.kept, one.shared});
        if (one.what == kind::acquired && one.kept_most != never)
            locks[one.lock].over[one.owner] = {one.kept_most, one.when};
        if (one.what == kind::releasing || one.what == kind::told_lost) begins_to_release(locks[one.lock], one);
        bool const of_all = one.what == kind::missed || one.what == kind::returned;
        bool const of_one = one.what == kind::unpromised || one.what == kind::forced;
        if (of_all || (of_one && one.lock < 0))
            for (auto& [lock, seen] : locks) seen.all.clear();
        if (of_one && one.lock >= 0) locks[one.lock].all.clear();
        if (of_all || of_one) ended.insert({one.lock, one.owner});
        if (one.what != kind::in_key) continue;
        auto& lock = locks[one.lock];
        if (one.yes && one.is_rest) {
            is_left(lock, one);
        } else if (one.yes) {
            if (auto const* const sooner = comes_too_soon(lock, one))
                return make("minimum holds", i,
                            one.owner + " is in the key of the lock before the minimum hold of " + sooner->owner
                                + " is over");
        } else {
            if (lock.left && stays_too_long(*lock.left, one))
                return make("minimum holds", i,
                            "the lock is kept for longer than the minimum hold of " + lock.left->of);
            leaves(lock, one.owner);
            lock.went = one.owner;
            lock.went_at = one.when;
        }
    }
    return std::nullopt;
}

} // namespace redlatch::sim
