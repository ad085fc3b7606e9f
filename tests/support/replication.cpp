#include "support/replication.hpp"

#include <string>

namespace redlatch::test {

bool has_replicated(redis_server const& master, std::size_t replicas) {
    auto const role = master.run("ROLE");
    if (role.items.size() != 3 || role.items[2].items.size() < replicas) return false;
    auto const executed = role.items[1].integer;
    for (auto const& replica : role.items[2].items)
        if (executed == 0 || replica.items.size() != 3 || replica.items[2].text != std::to_string(executed))
            return false;
    return true;
}

} // namespace redlatch::test
