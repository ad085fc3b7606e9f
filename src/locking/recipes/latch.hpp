// The count of a latch. wire: protocol section 7.2.
#pragma once

#include "locking/counter.hpp"

namespace redlatch::locking::latch {

wire_call set(counter_request const& what);
wire_call count_down(counter_request const& what);

} // namespace redlatch::locking::latch
