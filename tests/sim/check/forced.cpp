// Who has held a lock for long learns at once that somebody has ended the hold by force.
#include "sim/check/promises.hpp"

#include <map>
#include <optional>
#include <utility>

namespace redlatch::sim {
namespace {

using kind = fact::kind;

struct forced_hold {
    moment told_by{0};
    std::string owner;
};

} // namespace

std::optional<violation> check_forced(history const& all, forced_rules const& rules) {
    using worker = std::pair<int, int>; // with its process
    std::map<worker, moment> held_since;
    std::map<worker, forced_hold> untold;
    for (std::size_t i = 0; rules.can_ask && i < all.size(); ++i) {
        auto const& one = all[i];
        auto const who = worker(one.process, one.worker);
        for (auto const& [holder, hold] : untold)
            if (one.when > hold.told_by)
                return make("forced releases", i,
                            "worker " + std::to_string(holder.second) + " of process " + std::to_string(holder.first)
                                + " was not told that its hold " + hold.owner + " was ended by force");
        if (one.what == kind::fault) untold.clear();                           // whatever is wrong now may delay it
        if (one.what == kind::acquired) held_since.try_emplace(who, one.when); // the first of its entries
        if (one.what == kind::told_lost || one.what == kind::releasing || one.what == kind::left) {
            held_since.erase(who);
            untold.erase(who);
        }
        if (one.what == kind::closing)
            std::erase_if(untold, [&](auto const& each) { return each.first.first == one.process; });
        auto const since = held_since.find(who);
        if (one.what == kind::forced && one.yes && since != held_since.end() && one.when - since->second >= rules.age)
            untold[who] = {one.when + rules.notice, one.owner};
    }
    return std::nullopt;
}

} // namespace redlatch::sim
