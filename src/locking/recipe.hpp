// What one kind of lock does differently: what it is, and pure functions that compose its calls and read their replies. No
// loop, no clock, no I/O, no state; acquire_op and release_op hold the one loop for all of them. The kinds are in recipes/.
#pragma once

#include "base/time.hpp"
#include "locking/names.hpp"
#include "locking/publish_method.hpp"
#include "locking/release_message.hpp"
#include "locking/wire_call.hpp"
#include "resp/value.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::locking {

/// The subcommand of PUBSUB that counts those who listen to messages of a shard.
inline constexpr std::string_view count_in_shard = "shardnumsub";

/// Whose call about which lock.
struct call_context {
    std::string_view name;
    std::string_view channel_prefix{}; ///< as the recipe has it
    std::string_view owner_id;
    base::milliseconds lease{};
    std::span<std::string const> parts{}; ///< of a lock that is parts of its key: which
    std::string_view
        counterpart_id{}; ///< of an acquisition: the same owner's hold of the recipe's counterpart; empty: none
    std::string_view message = unlock_message; ///< of a release
    base::milliseconds kept_for{}; ///< of a release: the lock is not to be free before; zero: it is to be free at once
    bool count_listeners = false;  ///< of an acquisition: a refusal is to say how many listen to the channel
    bool may_wait = true; ///< of an acquisition: if it is refused, it is to have a place in the queue on the server
    base::milliseconds waiter_timeout{}; ///< for so long a waiter that does not ask keeps its place there
    bool fencing = false;                ///< of an acquisition or a re-entry: the next token is to come with it
    base::milliseconds counter_ttl{};    ///< of fencing: for so long at least the counter of tokens stays; 0: for ever
    std::string_view publish = publish_command;

    bool has_channel() const noexcept { return !channel_prefix.empty(); }
    /// Of the lock; made for those calls only that need it.
    prefixed_text channel() const { return prefixed_text(channel_prefix, name); }
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
    /// Of acquired, where the call was to bring a fencing token; 0: none.
    std::uint64_t token = 0;
    /// Of acquired, by a counter that says so: how much more there was.
    std::optional<std::int64_t> left{};
    /// Of busy: the holder's lease ends then; none: the key has no expiry. Of acquired, where nothing is left: the same.
    std::optional<base::milliseconds> retry_after{};
    /// Of busy, where it was asked for: the connections that listen to the channel.
    std::optional<std::int64_t> listeners{};
    /// In its place, where the server does not say: its error, a part of the reply.
    std::string_view count_refused{};
};

/// The server's word on a write of the hold count: a re-entry or a partial release.
enum class count_answer { written, not_held, not_understood };

/// The same, as it was read.
struct count_reply {
    count_answer what = count_answer::not_understood;
    std::uint64_t token = 0; ///< of written, by a re-entry that was to bring a fencing token; 0: none
};

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

/// What a kind of lock can do without scripts, at a fraction of the server's work. wire: the same as the scripts leave.
struct plain_commands {
    /// One command that takes a free lock, and refuses if there is a key.
    wire_call (*acquire)(call_context const&);
    acquire_answer (*read_acquire)(resp::value const&);
    /// The end of the hold; and, of a kind with a channel, the message.
    wire_call (*release)(call_context const&);
    /// `told`: null when only the first reply came, or there is no other.
    release_answer (*read_release)(resp::value const& ended, resp::value const* told);
    /// The message alone, for a release whose second reply never came. Null: a kind without a channel.
    wire_call (*announce)(call_context const&);
};

/// A hold that is renewed together with others.
struct renewed_hold {
    std::string_view name;
    std::string_view owner_id;
    std::span<std::string const> parts{}; ///< as in call_context
};

/// How holds are kept. Kinds that have the same one are renewed in one call.
struct renewal {
    /// Prolongs all of them to `lease` where less is left, and tells which are not held.
    wire_call (*compose)(std::span<renewed_hold const> holds, base::milliseconds lease);
    /// The positions, from 1, of those that are not held; none: not understood.
    std::optional<std::vector<std::int64_t>> (*read)(resp::value const&);
};

struct recipe {
    /// As basic_lock::kind() gives it.
    std::string_view kind;
    /// prefixed() with it the name is the channel that releases are published on. Empty: none, waiters ask again and again.
    std::string_view channel_prefix;
    wire_call (*acquire)(call_context const&);
    acquire_answer (*read_acquire)(resp::value const&);
    /// Re-entry and partial release write the count absolutely.
    wire_call (*set_count)(call_context const&, int count);
    count_reply (*read_count)(resp::value const&);
    /// Ends the hold, and the place of a waiter in a queue on the server. With `kept_for` what was held stays for so long, and
    /// belongs to kept_owner().
    wire_call (*release)(call_context const&);
    release_answer (*read_release)(resp::value const&);
    wire_call (*force_release)(call_context const&);
    /// Whether anybody holds it.
    wire_call (*is_held)(call_context const&);
    std::optional<bool> (*read_is_held)(resp::value const&);
    /// For how long it is held at the most: an integer, negative if nobody holds it.
    wire_call (*lease_left)(call_context const&);
    renewal const* renew;
    /// None: scripts only.
    plain_commands const* plain = nullptr;
    /// Its owner may acquire it once more while it has it.
    bool reentrant = true;
    /// The server need not know when one owner of this process takes it over from another: one holder at a time, in no order
    /// that other processes know of, and nothing that the server counts.
    bool local_handoff = true;
    /// Where waiters queue on the server: the channel on which the one of this call is told that it is the first. Each waiter
    /// of a process asks the server then. Null: the waiters of a process queue there, and only its first one asks; all listen
    /// to the channel of the lock.
    std::string (*waiter_channel)(call_context const&) = nullptr;

    /// The keys that an acquisition needs beside that of the lock, but for the counter of tokens. Null: none.
    std::vector<std::string> (*further_keys)(std::string_view name) = nullptr;

    /// Several owners may have it at once. Each waiter of a process asks the server, and one message lets all of them in.
    bool shared = false;
    /// The messages of its releases say whose turn it is among processes: release_message.hpp.
    bool takes_turns = true;
    /// The other half of a lock that has two under one name. Whoever has the exclusive half may take the shared one too; who
    /// has the shared one would wait for itself.
    recipe const* counterpart = nullptr;
    /// What stands behind the ids of its owners.
    std::string_view owner_suffix{};
    /// Each acquisition brings a fencing token, and each re-entry counts as one; else where it is asked for.
    bool always_fencing = false;

    bool queues_on_server() const noexcept { return waiter_channel != nullptr; }
    /// By itself; else the waiters of a process are in line, and only the first one asks.
    bool each_waiter_asks() const noexcept { return shared || queues_on_server(); }
};

} // namespace redlatch::locking
