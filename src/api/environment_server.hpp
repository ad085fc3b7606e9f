// The server of a client that names none: what the environment says, as for the tool.
#pragma once

#include <redlatch/config.hpp>

namespace redlatch::detail {

/// For settings without an address. See config::address. Throws error(bad_config).
config with_server_of_environment(config settings);

} // namespace redlatch::detail
