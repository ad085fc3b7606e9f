// What one type of lock does differently: a table of pure functions that compose calls and read replies. No loop, no clock, no
// I/O, no state; acquire_op and the release operation hold the one loop for all of them.
#pragma once

#include "base/time.hpp"
#include "locking/script_call.hpp"
#include "resp/value.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace redlatch::locking {

/// Whose call about which lock.
struct call_context {
    std::string_view name;
    std::string_view channel;
    std::string_view owner_id;
    base::milliseconds lease{};
};

/// The server's word on an attempt.
struct acquire_answer {
    enum class kind { acquired, busy, not_understood };
    kind what = kind::not_understood;
    /// Of busy: the holder's lease ends then; none: the key has no expiry.
    std::optional<base::milliseconds> retry_after{};
};

/// The server's word on a write of the hold count: a re-entry or a partial release.
enum class count_answer { written, not_held, not_understood };

/// The server's word on a last release.
enum class release_answer { released, released_silently, not_held, not_understood };

struct recipe {
    script_call (*acquire)(call_context const&);
    acquire_answer (*read_acquire)(resp::value const&);
    /// Re-entry and partial release write the count absolutely.
    script_call (*set_count)(call_context const&, int count);
    count_answer (*read_count)(resp::value const&);
    script_call (*release)(call_context const&);
    release_answer (*read_release)(resp::value const&);
    script_call (*force_release)(call_context const&);
    /// The channel that a release is published on; empty: none, waiters back off and ask again.
    std::string (*wake_channel)(std::string_view name);
};

/// Redisson's RLock: protocol section 1.
extern recipe const reentrant_recipe;

} // namespace redlatch::locking
