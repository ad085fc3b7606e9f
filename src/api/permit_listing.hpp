// All permit semaphores whose names match. Those of which permits are taken are found by what is taken, a sorted set beside the
// number; nothing else tells them from semaphores and latches.
#pragma once

#include "io/client_core.hpp"

#include <redlatch/permit_info.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::detail {

/// `each` gets what one page of SCAN brought. Blocks; throws error, and what `each` throws.
void visit_permits(std::shared_ptr<io::client_core> const& core, std::string_view pattern,
                   permit_visit_options const& options, std::function<void(std::vector<permit_info>)> const& each);

} // namespace redlatch::detail
