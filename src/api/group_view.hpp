// What can be seen of the hash of a group, in which values are locked. wire: protocol section 9.1.
#pragma once

#include "resp/value.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace redlatch::detail {

/// Whether the fields, each with its value behind it, are those of a group.
bool is_group(std::span<resp::value const> fields);

struct group_holder {
    std::string owner_id{};
    std::int64_t count = 1;             ///< the greatest of its values; of those that are among the fields
    std::optional<std::int64_t> ends{}; ///< the last of its leases; none: not among the fields
};
/// Whose lease on one of `parts`, fields of values, is not over at `now`, in milliseconds since the epoch; none: whoever has a
/// lease. No parts: on any value.
std::vector<group_holder> holders_in(std::span<resp::value const> fields, std::optional<std::int64_t> now,
                                     std::span<std::string const> parts);

} // namespace redlatch::detail
