// What RESTORE is given in random sequences: the payload of a first hold as a client puts it together, and damaged ones.
#pragma once

#include "sim/server/differential/chance.hpp"

#include <string>

namespace redlatch::sim {

/// Mostly {OWNER: "1"}; else damaged, with a checksum that fits or one that does not, or another value.
std::string a_payload(chance& chance, std::string const& owner);

} // namespace redlatch::sim
