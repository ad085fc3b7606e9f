// The channel of a read-write lock, of both halves. wire: protocol section 6.
#pragma once

#include "locking/names.hpp"

#include <string>
#include <string_view>

namespace redlatch::locking::read_write {

inline constexpr std::string_view channel_prefix = "redisson_rwlock";
inline std::string channel_of(std::string_view name) {
    return prefixed(channel_prefix, name);
}

} // namespace redlatch::locking::read_write
