// One answer to SCAN.
#pragma once

#include "io/client_core.hpp"
#include "resp/value.hpp"

#include <redlatch/error.hpp>

#include <string>

namespace redlatch::detail {

/// Throws error where it is none. `subject`: what is asked for, for messages.
void must_be_page(io::node& server, char const* subject, resp::value const& reply);

/// `reason`: as scan_bounds gives it.
error endless_scan(io::node const& server, char const* subject, std::string const& reason);

} // namespace redlatch::detail
