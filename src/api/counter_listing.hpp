// All semaphores and latches whose names match.
#pragma once

#include "io/client_core.hpp"

#include <redlatch/counter_info.hpp>

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace redlatch::detail {

/// `each` gets what one page of SCAN brought. Blocks; throws error, and what `each` throws.
void visit_counters(std::shared_ptr<io::client_core> const& core, std::string_view pattern,
                    std::function<void(std::vector<counter_info>)> const& each);

} // namespace redlatch::detail
