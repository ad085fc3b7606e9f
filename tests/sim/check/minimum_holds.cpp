#include "sim/check/promises.hpp"

#include <map>
#include <set>
#include <string>

namespace redlatch::sim {

std::optional<violation> check_minimum_holds(history const& all) {
    using kind = fact::kind;
    struct kept {
        std::string owner;
        moment until;
    };
    std::map<int, kept> locks;
    std::set<place> ended; // perhaps before it is known here that it was acquired
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = all[i];
        if (one.what == kind::acquired && one.kept > moment(0) && !ended.contains({one.lock, one.owner}))
            locks[one.lock] = {one.owner, one.kept};
        bool const of_all = one.what == kind::missed || one.what == kind::returned;
        bool const of_one = one.what == kind::unpromised || one.what == kind::forced;
        if (of_all || (of_one && one.lock < 0)) locks.clear();
        if (of_one) locks.erase(one.lock);
        if (of_all || of_one) ended.insert({one.lock, one.owner});
        auto const found = locks.find(one.lock);
        if (one.what != kind::in_key || !one.yes || one.is_rest || found == locks.end()) continue;
        if (found->second.owner == one.owner) continue;
        if (one.when < found->second.until)
            return make("minimum holds", i,
                        one.owner + " is in the key of the lock before the minimum hold of " + found->second.owner
                            + " is over");
        locks.erase(found);
    }
    return std::nullopt;
}

} // namespace redlatch::sim
