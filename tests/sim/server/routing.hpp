// Which node of a cluster executes a command: the decision that Redis 7.0 makes in getNodeByQuery.
#pragma once

#include "sim/server/command.hpp"

#include <span>
#include <string>
#include <string_view>

namespace redlatch::sim {

/// The error that sends the client elsewhere, or makes it wait. Empty: it is executed here; always, outside of a cluster.
std::string misplaced(node_state& node, connection const& from, command const& which,
                      std::span<std::string_view const> argv);

} // namespace redlatch::sim
