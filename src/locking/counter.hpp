// What is on the server and clients wait for: the permits of a semaphore, the count of a latch, which they change as well, and
// the leader of an election. Nobody owns a part of it; a kind may name what is taken, so that it has a lease and comes back by
// itself.
#pragma once

#include "base/time.hpp"
#include "locking/counter_turn.hpp"
#include "locking/names.hpp"
#include "locking/recipe.hpp"
#include "locking/release_yield.hpp"
#include "locking/wait_queue.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::locking {

/// One request about a counter.
struct counter_request {
    std::string_view name;
    std::string_view channel;
    std::string_view publish = publish_command;
    /// The key under which the server keeps the answer, so that a repeat of the request changes nothing; empty: there is none.
    std::string_view record{};
    std::int64_t amount = 1;
    /// Of a kind that names what it takes: `amount` ids, one behind the other, and their lease (zero: for ever).
    std::string_view ids{};
    base::milliseconds lease{};
    /// In a release: whoever has them knows that their lease is not over, so that nobody has to look.
    bool held = false;
    /// Of a kind that waits for a change: the id of what the waiter knows; empty: of nothing.
    std::string_view known{};
};

/// Of a kind that names what it takes: of one id, in bytes.
inline constexpr std::size_t taken_id_size = 16;

/// acquire_answer::left is not more: waiters are told of it, and nobody has more of them.
inline constexpr std::int64_t most_left = 1'000'000'000;

/// The first word of the error that answers an `ask` for more than there are in all, those included that are taken.
inline constexpr std::string_view too_few_in_all = "TOOFEW";

/// What one kind of counter does differently: pure functions, as of a recipe.
struct counter_kind {
    /// "semaphore", "permit semaphore", "count-down latch" or "leader election": for messages.
    std::string_view kind;
    std::string (*channel)(std::string_view name);
    /// The key that it needs beside NAME. Null: none.
    std::string (*key_beside)(std::string_view name) = nullptr;
    /// What a waiter asks.
    wire_call (*ask)(counter_request const&);
    /// Acquired: the wait is over; busy: it goes on.
    acquire_answer (*read)(resp::value const&);
    /// Takes back what an `ask` with a record has changed, or will come to change. Null: asking changes nothing.
    wire_call (*undo)(counter_request const&);
    /// The same for one without a record that is known to have changed it.
    wire_call (*give_back)(counter_request const&);
    /// What is taken has ids: the same ids are taken once, whatever becomes of the answers. RECORD then stands only for a
    /// request whose late copies are to take nothing, as this call makes it. Null: what is taken has no ids.
    wire_call (*bar_copies)(counter_request const&) = nullptr;
    /// Of such a kind: prolongs the lease of `ids` where less is left, and tells the positions, from 1, of those that are not
    /// there; none: not understood.
    wire_call (*renew)(counter_request const&) = nullptr;
    std::optional<std::vector<std::int64_t>> (*read_renewal)(resp::value const&, std::size_t ids) = nullptr;
    /// Deletes it. Answered as counter_set is.
    wire_call (*remove)(counter_request const&);
    /// Adds `amount`, which may be below zero. Null: a kind that is only counted down.
    wire_call (*add)(counter_request const&);
    /// Asks for the number.
    wire_call (*count)(counter_request const&);
    /// None: it is no number.
    std::optional<std::int64_t> (*read_count)(resp::value const&);
    /// What one waiter of this process gets another one does not: they are in line, and the first one asks.
    bool in_line = false;
    /// Of one that asking does not change: "was not counted down to zero", when a wait ends. For messages.
    std::string_view in_vain{};

    /// A repeat of `ask` may change the number once more.
    bool changes() const noexcept { return undo != nullptr; }
    bool names_what_it_takes() const noexcept { return bar_copies != nullptr; }
};

/// The reply to a change that was made, but this user may not publish.
inline constexpr std::int64_t done_silently = 2;
/// The least reply to a release that was told; what is above it is the number of connections that heard of it.
inline constexpr std::int64_t least_heard = 3;

/// How many connections heard of a release; none: nobody was told.
inline std::optional<std::int64_t> heard_by(resp::value const& reply) noexcept {
    bool const told = reply.is_integer() && reply.integer >= least_heard;
    return told ? std::optional(reply.integer - least_heard) : std::nullopt;
}

/// For so long the server keeps the answer to a request.
inline constexpr base::milliseconds record_lifetime{60'000};

/// What a client knows of one counter.
struct counter {
    counter(std::string its_name, counter_kind const& kind)
        : name(std::move(its_name)), channel(kind.channel(name)), how(&kind) {}

    std::string const name;
    std::string const channel;
    counter_kind const* const how;
    publish_method const* publish = &publish_to_all;

    /// What every request about it begins with. It refers to the counter, and to what is set in it.
    counter_request request() const noexcept {
        return {.name = name, .channel = channel, .publish = publish->command()};
    }

    /// "semaphore 'x'", for messages.
    std::string shown() const { return std::string(how->kind) + " " + locking::shown(name); }

    // Guarded by the mutex of the index that has it.
    wait_queue queue{};
    /// The server said last that a waiter of this process has to go on waiting.
    base::instant busy_at = base::instant::min();
    base::instant acquired_at = base::never; ///< the last time by this process; never: it has not
    release_yield after_release{};
    counter_turn turn{};
};

using counter_ptr = std::shared_ptr<counter>;

/// Writes the number once more, as it is, where the server knows of this acquisition, which has a record or ids: what replicas
/// have of that they have of the acquisition.
wire_call counter_mark(counter_request const& taken);
count_reply read_counter_mark(resp::value const& reply);

} // namespace redlatch::locking
