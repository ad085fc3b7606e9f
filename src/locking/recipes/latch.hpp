// The count of a latch. wire: protocol section 7.2.
#pragma once

#include "locking/counter.hpp"

namespace redlatch::locking::latch {

wire_call set(counter_request const& request);
wire_call count_down(counter_request const& request);

} // namespace redlatch::locking::latch
