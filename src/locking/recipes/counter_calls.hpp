// What the calls about counters have in common.
#pragma once

#include "locking/counter.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::locking::counter_calls {

/// With the record of the request, and for how long it is kept, as the last key and argument where there is one.
wire_call with_record(script const& program, counter_request const& request, std::vector<std::string_view> keys,
                      std::vector<std::string_view> arguments);

/// Of ids one behind the other.
std::vector<std::string_view> each_id(std::string_view ids);

wire_call count(counter_request const& request);
/// Of the answer to count(). None: it is no number.
std::optional<std::int64_t> read_number(resp::value const& reply);

} // namespace redlatch::locking::counter_calls
