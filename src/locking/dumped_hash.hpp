// A hash with one field, in the form that DUMP gives and RESTORE takes.
#pragma once

#include <string>
#include <string_view>

namespace redlatch::locking {

/// The field's value is "1". `field` is 1 to 63 bytes long, as every OWNER is.
/// wire: type 4 (hash), one pair, two strings with 6-bit lengths, RDB version 6 (which every server since 2.6 reads), CRC-64.
std::string dumped_hash(std::string_view field);

} // namespace redlatch::locking
