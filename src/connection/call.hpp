// One command, or two in one write, on its way, and the reply.
#pragma once

#include "base/recycling.hpp"
#include "base/time.hpp"
#include "base/waker.hpp"
#include "resp/value.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace redlatch::connection {

/// Life of a call (the multiplexer moves it; all under the mutex of its lane):
///
///     waiting   no connection; written when there is one
///     staged    its bytes stand in the buffer or were handed to the operating system; the reply is due
///     answered  `reply` holds the server's answer
///     closed    the lane was closed, or with `once` the connection, or with `impatient` the server is away; nothing more
///               will happen
///
/// A call whose connection breaks goes back to waiting and is repeated: every call of this library may be. `abandoned` calls
/// are not repeated; their replies are read and dropped, or given to `late`. Nor are those with `once`, which say what is true
/// now and not what is true when the server is back.
///
/// A call of two commands is answered by its second reply. A connection that breaks between the two answers it as well, with
/// `cut_short`: the first reply stands, and what became of the second command is for its sender to see to.
struct call {
    call() = default;
    call(call const&) = delete;
    call& operator=(call const&) = delete;
    ~call() { base::keep_text(std::move(bytes)); }

    enum class state : std::uint8_t { waiting, staged, answered, closed };

    std::string bytes;
    base::waker waker{};
    /// For an abandoned call: gets the reply after all, or is dropped with the connection. Runs on the reactor.
    std::function<void(resp::value const&)> late{};
    int replies = 1;       ///< one, or two: as many as there are commands in `bytes`
    bool internal = false; ///< a predecessor kill or a ping of the connection itself: never repeated

    std::atomic<state> status{state::waiting};
    resp::value reply{};
    resp::value second{};   ///< to the second command
    int heard = 0;          ///< replies that have come on this connection
    bool cut_short = false; ///< `reply` came and `second` did not; of an abandoned call: had not when it was abandoned
    bool abandoned = false;
    bool impatient = false;       ///< waits for no connection while the server is known to be away: closed instead
    std::int32_t slot = -1;       ///< of its key, in a cluster
    bool behind_asking = false;   ///< its node is asked although the slot is only on its way there
    bool sent_away = false;       ///< answered by its lane: the node does not count any more; copies of it may have run
    std::uint64_t connection = 0; ///< of an answered call: the number of the connection that said it
    bool once = false;            ///< neither repeated, nor sent on a connection that it waited for: closed instead
    int handed = 0;               ///< how many times bytes of it may have reached the operating system
    bool late_copy_possible = false; ///< of an answered call that was repeated: an earlier copy of it may still run
    base::instant sent_at{};         ///< from before the last time it was handed over
    std::uint64_t begin = 0;         ///< its place in the stream of this connection
    std::uint64_t end = 0;

    // The call_list's own.
    std::shared_ptr<call> listed{};
    call* before = nullptr;
    call* behind = nullptr;

    bool finished() const noexcept {
        auto const now =
            status.load(std::memory_order_acquire); // pairs with the release in the multiplexer: reply is set
        return now == state::answered || now == state::closed;
    }
    /// A copy before the one that was answered may have run.
    bool repeated() const noexcept { return handed > (sent_away ? 0 : 1); }
};

using call_ptr = std::shared_ptr<call>;

inline call_ptr make_call() {
    return std::allocate_shared<call>(base::recycling<call>());
}

} // namespace redlatch::connection
