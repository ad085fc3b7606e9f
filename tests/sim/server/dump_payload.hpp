// What DUMP gives and RESTORE takes: one value as in a snapshot, the version of that format, a checksum over both.
//
// Known are strings and hashes as RDB version 6 has them, without compression: what a client would put together itself. Redis
// has a dozen more encodings; a payload in one of those is answered here like one that is none.
#pragma once

#include "sim/server/keyspace.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace redlatch::sim {

/// Whether version and checksum are such that Redis 7.0 would look at the rest.
bool has_valid_footer(std::string_view payload) noexcept;

/// The value, whatever follows it: Redis does not look whether anything lies between a value and the version. None: no value.
/// A field that is given twice is there twice, as in a small hash of Redis.
std::optional<entry_value> value_in(std::string_view payload);

/// For tests: `value` with version and checksum behind it.
std::string with_footer(std::string value, int version = 6);

} // namespace redlatch::sim
