// Which hash is a lock: any hash may have the name of one.
#pragma once

#include <redlatch/lock_info.hpp>

#include <span>
#include <string>
#include <string_view>

namespace redlatch::detail {

/// "client's UUID:number", for a writer and a candidate of an election with more behind another colon.
bool is_owner_id(std::string_view text) noexcept;
/// Of a holder that has released what it held: only the rest of its minimum hold is left.
bool is_released(std::string_view owner_id);

/// Of a hash that is no lock: a field that is not a holder's with a count from 1; "mode" where there is no holder. Empty: it is
/// a lock.
std::string foreign_field_among(std::span<lock_owner const> owners);

} // namespace redlatch::detail
