// All numbers whose names match: what semaphores and latches are on the server, which does not know what a number counts.
#pragma once

#include "io/client_core.hpp"

#include <redlatch/counter_info.hpp>

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace redlatch::detail {

/// With their names on the server.
using number_visitor = std::function<void(io::node& server, std::vector<counter_info>)>;

/// `each` gets what one page of SCAN brought. Numbers that belong to a lock or a request are left out. `subject`: what is asked
/// for, for messages. Blocks; throws error, and what `each` throws.
void visit_numbers(std::shared_ptr<io::client_core> const& core, char const* subject, std::string_view pattern,
                   number_visitor const& each);

} // namespace redlatch::detail
