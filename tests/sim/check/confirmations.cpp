// Locks that replicas confirm.
#include "sim/check/promises.hpp"

#include <map>
#include <string>
#include <utility>

namespace redlatch::sim {
namespace {

using kind = fact::kind;

std::string worker_of(fact const& one) {
    return "worker " + std::to_string(one.worker) + " of process " + std::to_string(one.process);
}

std::string replicas(std::int64_t number) {
    return std::to_string(number) + (number == 1 ? " replica" : " replicas");
}

} // namespace

std::optional<violation> check_confirmations(history const& all, confirmation_rules const& rules) {
    std::map<std::pair<int, int>, moment> asked;
    moment quiet_since = never;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = all[i];
        if (one.what == kind::quiet) quiet_since = one.when;
        if (one.what == kind::fault) quiet_since = never;
        if (one.what == kind::asked) asked[{one.process, one.worker}] = one.when;
        if (one.what == kind::confirmed && one.taken < one.amount)
            return make("confirmations", i,
                        worker_of(one) + " was told that " + replicas(one.amount) + " have its lock, and "
                            + std::to_string(one.taken) + " have it");
        if (one.what == kind::confirmed && one.amount < one.least)
            return make("confirmations", i,
                        worker_of(one) + " has a lock that " + replicas(one.amount) + " have, which is too few");
        if (one.what != kind::too_few || rules.rights_missing) continue;
        bool const quiet = quiet_since != never && asked[{one.process, one.worker}] > quiet_since + rules.settled;
        if (quiet && one.taken >= one.least)
            return make("confirmations", i,
                        worker_of(one) + " was told that too few replicas have its lock, and "
                            + std::to_string(one.taken) + " are connected");
    }
    return std::nullopt;
}

} // namespace redlatch::sim
