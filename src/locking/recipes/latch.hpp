// The count of a latch. wire: protocol section 7.2.
#pragma once

#include "locking/counter.hpp"

#include <string>
#include <string_view>

namespace redlatch::locking::latch {

/// In brackets of its own, even where the name has some.
std::string channel_of(std::string_view name);
wire_call set(counter_request const& request);
wire_call count_down(counter_request const& request);

} // namespace redlatch::locking::latch
