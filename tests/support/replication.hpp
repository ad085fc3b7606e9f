// Whether replicas have what their master has executed.
#pragma once

#include "support/redis_server.hpp"

#include <cstddef>

namespace redlatch::test {

/// All that this master has executed has reached those that replicate it, of which there are so many at least.
bool has_replicated(redis_server const& master, std::size_t replicas = 0);

} // namespace redlatch::test
