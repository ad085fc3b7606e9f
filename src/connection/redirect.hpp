// What a node of a cluster says of a key that is elsewhere.
#pragma once

#include "connection/cluster_view.hpp"
#include "resp/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

/// How the answer begins that a call gets after so many redirects that the nodes cannot agree. As TRYAGAIN it is repeated.
inline constexpr std::string_view redirected_too_often = "TRYAGAIN redirected too often";

/// What a call gets that waits for a node which the cluster does not count on any more: as if the node had said so.
resp::value moved_away(std::uint16_t slot);

} // namespace redlatch::connection
