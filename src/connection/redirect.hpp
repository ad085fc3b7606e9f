// What a node of a cluster says of a key that is elsewhere.
#pragma once

#include "connection/cluster_view.hpp"
#include "resp/value.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace redlatch::connection {

struct redirect {
    enum class kind {
        moved, ///< the slot belongs to another node
        ask,   ///< the slot is on its way to another node, and this key may be there: one command is to be asked there
    };
    kind what = kind::moved;
    std::uint16_t slot = 0;
    /// An empty host: that of the node that said it. Port 0: it is not said where; see moved_away().
    node_address where{};
};

/// MOVED and ASK. None: another reply.
std::optional<redirect> read_redirect(resp::value const& reply);

/// What a call gets that waits for a node which the cluster does not count on any more: as if the node had said so.
resp::value moved_away(std::uint16_t slot);

} // namespace redlatch::connection
