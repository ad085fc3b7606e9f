// What one type of lock does differently: a table of pure functions that compose calls and read replies. No loop, no clock, no
// I/O, no state; acquire_op and the release operation hold the one loop for all of them.
#pragma once

#include "base/time.hpp"
#include "locking/plain_call.hpp"
#include "locking/script_call.hpp"
#include "resp/value.hpp"

#include <cstdint>
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
    enum class kind {
        acquired,
        busy,
        key_exists, ///< to a plain attempt: somebody's, perhaps our own by an earlier copy; only the script can tell
        not_understood,
    };
    kind what = kind::not_understood;
    /// Of busy: the holder's lease ends then; none: the key has no expiry.
    std::optional<base::milliseconds> retry_after{};
};

/// The server's word on a write of the hold count: a re-entry or a partial release.
enum class count_answer { written, not_held, not_understood };

/// The server's word on a last release.
struct release_answer {
    enum class kind {
        released,
        released_silently, ///< this user may not publish: nobody was woken
        not_held,
        not_understood,
    };
    kind what = kind::not_understood;
    /// Of released: how many connections heard the message, our own subscriber included.
    std::int64_t heard_by = 0;
    /// The message was sent, or may not be sent by this user; false: whether anybody was woken is not known.
    bool announced = true;
};

/// What a type of lock can do without scripts, at a fraction of the server's work. wire: the same as the scripts leave.
struct plain_commands {
    /// One command that takes a free lock, and refuses if there is a key.
    plain_call (*acquire)(call_context const&);
    acquire_answer (*read_acquire)(resp::value const&);
    /// Two commands: the end of the hold, the message.
    plain_call (*release)(call_context const&);
    /// `told`: null when only the first reply came.
    release_answer (*read_release)(resp::value const& ended, resp::value const* told);
    /// The message alone, for a release whose second reply never came.
    plain_call (*announce)(call_context const&);
};

struct recipe {
    script_call (*acquire)(call_context const&);
    acquire_answer (*read_acquire)(resp::value const&);
    /// Re-entry and partial release write the count absolutely.
    script_call (*set_count)(call_context const&, int count);
    count_answer (*read_count)(resp::value const&);
    script_call (*release)(call_context const&);
    release_answer (*read_release)(resp::value const&);
    script_call (*force_release)(call_context const&);
    /// None: scripts only.
    plain_commands const* plain;
    /// One holder at a time, in no order that other processes know of: it may be passed on within a process.
    bool passable;
    /// The channel that a release is published on; empty: none, waiters back off and ask again.
    std::string (*wake_channel)(std::string_view name);
};

/// Redisson's RLock: protocol section 1.
extern recipe const reentrant_recipe;

} // namespace redlatch::locking
