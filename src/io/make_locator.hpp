// Who finds the server of a client.
#pragma once

#include "io/locator.hpp"
#include "io/server_set.hpp"

#include <memory>
#include <string>

namespace redlatch::io {

/// Null: it does not move. Throws error(bad_config), and std::system_error where descriptors are missing.
std::shared_ptr<master_locator> make_locator(config const& settings, server_set const& servers,
                                             std::string const& name);

} // namespace redlatch::io
