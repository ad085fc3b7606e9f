#include "sim/server/routing.hpp"

#include "sim/server/key_slot.hpp"
#include "sim/server/membership.hpp"
#include "sim/server/text.hpp"

#include <optional>

namespace redlatch::sim {
namespace {

bool is(command const& which, trait what) {
    return (which.traits & what) != 0;
}

std::span<std::string_view const> keys_of(command const& which, std::span<std::string_view const> argv) {
    if (is(which, one_key)) return argv.subspan(1, 1);
    if (is(which, many_keys)) return argv.subspan(1);
    if (!is(which, counted_keys)) return {};
    auto const number = integer_in(argv[2]); // what is wrong with it is said when it runs
    constexpr std::size_t before_keys = 3;
    if (!number || *number <= 0 || *number > static_cast<std::int64_t>(argv.size() - before_keys)) return {};
    return argv.subspan(before_keys, static_cast<std::size_t>(*number));
}

struct looked_at {
    bool different = false; ///< not always the same key
    bool missing = false;
    bool existing = false;
};

looked_at look_at(node_state& node, std::span<std::string_view const> keys) {
    looked_at found;
    for (auto const key : keys) {
        found.different = found.different || key != keys.front();
        (node.find_key(0, key) == nullptr ? found.missing : found.existing) = true;
    }
    return found;
}

} // namespace

std::string misplaced(node_state& node, connection const& from, command const& which,
                      std::span<std::string_view const> argv) {
    auto const* const cluster = node.settings.cluster;
    if (cluster == nullptr) return {};
    auto const keys = keys_of(which, argv);
    if (keys.empty()) return {};
    auto const slot = key_slot(keys.front());
    auto const owner = cluster->owner_of(slot);
    if (owner == membership::nobody) return "CLUSTERDOWN Hash slot not served";
    for (auto const key : keys)
        if (key_slot(key) != slot) return "CROSSSLOT Keys in request don't hash to the same slot";
    bool const shard = is(which, of_shard);
    if (cluster->down && !shard) return "CLUSTERDOWN The cluster is down";
    auto const redirect = [&](char const* word, int to) {
        return std::string(word) + " " + std::to_string(slot) + " " + cluster->address_of(to);
    };
    constexpr char const* unstable = "TRYAGAIN Multiple keys request during rehashing of slot";
    auto const to = cluster->migrating.find(slot);
    bool const migrates = owner == cluster->me && to != cluster->migrating.end();
    bool const imports = !migrates && cluster->importing.contains(slot);
    auto const seen = !shard && (migrates || imports) ? look_at(node, keys) : looked_at();
    if (migrates && seen.missing) return seen.existing ? unstable : redirect("ASK", to->second);
    if (imports && from.asking) return seen.different && seen.missing ? unstable : std::string();
    if (shard && cluster->is_replica() && cluster->myself().master == owner) return {};
    return owner == cluster->me ? std::string() : redirect("MOVED", owner);
}

} // namespace redlatch::sim
