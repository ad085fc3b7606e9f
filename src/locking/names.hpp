// The keys and channels that belong to a lock (protocol section 0.2).
#pragma once

#include "base/small_text.hpp"

#include <string>
#include <string_view>

namespace redlatch::locking {

inline constexpr std::size_t longest_name = 64 * 1024;

/// prefix:{NAME}, or prefix:NAME where NAME holds a '{' anywhere, balanced or not, as Java derives it.
std::string prefixed(std::string_view prefix, std::string_view name);
/// The same; a name of usual length needs no memory of its own.
class prefixed_text : public base::small_text<119> {
public:
    prefixed_text(std::string_view prefix, std::string_view name);
};

/// Of the channels that releases are published on; a kind that has others, or further keys, names them in its recipe.
inline constexpr std::string_view lock_channel_prefix = "redisson_lock__channel";

inline std::string lock_channel(std::string_view name) {
    return prefixed(lock_channel_prefix, name);
}
inline constexpr std::string_view before_token_counter = "redisson_lock_token";
inline std::string token_counter(std::string_view name) {
    return prefixed(before_token_counter, name);
}
/// Of a request that is to be executed once; beside NAME in a cluster.
std::string request_record(std::string_view name, std::string_view request_id);
/// What the keys that keep the read holds of a read-write lock alive begin with; never a key itself.
std::string read_hold_prefix(std::string_view name);

/// A number that belongs to a lock or to a request, and is no semaphore or latch: a counter of tokens, a record, the end of a
/// read hold; of Redisson's also what it keeps of an unlock.
bool is_number_beside(std::string_view key) noexcept;

/// Who has a lock that was released before its minimum hold was over: OWNER with 0 in place of its number, which no tenure has.
std::string kept_owner(std::string_view owner_id);

/// A name in a pattern of the server's: what has a meaning there is escaped.
std::string literal(std::string_view name);

/// For messages: quoted, cut to a length that one can read, control characters and marks of direction as \xHH.
std::string shown(std::string_view name);

} // namespace redlatch::locking
