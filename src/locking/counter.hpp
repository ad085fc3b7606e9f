// A number on the server that clients change and wait for: the permits of a semaphore, the count of a latch. Nobody owns a part
// of it, so there is no lease, no renewal and nothing to lose.
#pragma once

#include "base/time.hpp"
#include "locking/recipe.hpp"
#include "locking/wait_queue.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace redlatch::locking {

/// One request about a counter.
struct counter_request {
    std::string_view name;
    std::string_view channel;
    /// The key under which the server keeps the answer, so that a repeat of the request changes nothing; empty: there is none.
    std::string_view record{};
    std::int64_t amount = 1;
};

/// What one kind of counter does differently: pure functions, as of a recipe.
struct counter_kind {
    /// "semaphore" or "count-down latch": for messages.
    std::string_view kind;
    std::string (*channel)(std::string_view name);
    /// What a waiter asks.
    wire_call (*ask)(counter_request const&);
    /// Acquired: the wait is over; busy: it goes on.
    acquire_answer (*read)(resp::value const&);
    /// Takes back what an `ask` with a record has changed, or will come to change. Null: asking changes nothing.
    wire_call (*undo)(counter_request const&);
    /// The same for one without a record that is known to have changed it.
    wire_call (*give_back)(counter_request const&);
    /// What one waiter of this process gets another one does not: they are in line, and the first one asks.
    bool in_line = false;

    /// A repeat of `ask` may change the number once more.
    bool changes() const noexcept { return undo != nullptr; }
};

/// For so long the server keeps the answer to a request.
inline constexpr base::milliseconds record_lifetime{60'000};

/// What a client knows of one counter.
struct counter {
    counter(std::string its_name, counter_kind const& kind)
        : name(std::move(its_name)), channel(kind.channel(name)), how(&kind) {}

    std::string const name;
    std::string const channel;
    counter_kind const* const how;

    // Guarded by the mutex of the index that has it.
    wait_queue queue{};
    /// The server said last that a waiter of this process has to go on waiting.
    base::instant busy_at = base::instant::min();
};

using counter_ptr = std::shared_ptr<counter>;

extern counter_kind const semaphore_kind; ///< Redisson's RSemaphore: protocol section 7.1
extern counter_kind const latch_kind;     ///< RCountDownLatch: protocol section 7.2

} // namespace redlatch::locking
