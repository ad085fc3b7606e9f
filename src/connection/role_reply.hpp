// What a server says that it is: the reply to ROLE.
#pragma once

#include "resp/value.hpp"

#include <optional>
#include <string>

namespace redlatch::connection {

enum class server_role { unknown, master, replica, sentinel };

/// Unknown: an error, as for a user without the right.
server_role read_role(resp::value const& reply) noexcept;

/// Of a master: how many replicas are connected and in step, so that they can confirm something. None: it is no master.
std::optional<int> replicas_in_step(resp::value const& reply);

/// Of a replica: `, a.b.c.d:port`, which is its master; empty: it does not say.
std::string master_of(resp::value const& reply);

} // namespace redlatch::connection
