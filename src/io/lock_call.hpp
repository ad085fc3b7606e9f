// A call about a lock on its way for an operation: plain commands, or a script, by its SHA-1 first, by its text where the
// server does not know it. In a cluster it goes to the node that has its key, also where that changes meanwhile.
#pragma once

#include "base/function_ref.hpp"
#include "connection/server_error.hpp"
#include "io/call_lane.hpp"
#include "locking/wire_call.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

namespace redlatch::io {

/// Not thread-safe; belongs to one operation.
class lock_call {
public:
    /// From now on: see connection::call.
    void be_impatient() noexcept { impatient_ = true; }
    /// The same, of the first node: the connection of another one, to which a redirect leads, is waited for.
    void be_impatient_at_first() noexcept { impatient_ = at_first_only_ = true; }
    void be_sent_once() noexcept { once_ = true; }

    /// With `unless`, nothing is sent any more once it is set: see call_lane::submit.
    void begin(call_lane& lane, locking::wire_call call, base::waker const& waker, bool will_wait,
               std::atomic<bool> const* unless = nullptr);
    /// A script by its text at once: where what follows on the connection must find it done.
    void begin_by_text(call_lane& lane, locking::wire_call const& call, base::waker const& waker, bool will_wait);

    /// Where it is on its way.
    lane& line() const noexcept { return where_->line(); }

    bool under_way() const noexcept { return call_ != nullptr; }
    /// Answered or closed; may be asked under the lane's mutex.
    bool finished() const noexcept { return call_ && call_->finished(); }
    /// The finished call, but for NOSCRIPT, MOVED and ASK: then the text was sent, or another node is asked, and the call is
    /// under way again at line(), for the waker of `make_waker`. (It is not kept from begin(): whoever is woken may own this
    /// object.)
    connection::call_ptr take(base::function_ref<base::waker()> make_waker);
    /// The server did not know the script: what it answered was its text.
    bool by_text() const noexcept { return by_text_; }
    /// Another node was asked than the first one: nothing is known of its order with what was sent behind it.
    bool redirected() const noexcept { return redirected_at_ != base::never; }
    /// Of a call that was redirected: since then, or since later, nothing was heard of the node where it is. Else never.
    base::instant unheard_since() const;
    /// A copy of it, in either form, may have run without an answer.
    bool repeated() const noexcept { return repeated_; }
    /// An earlier copy of it, in either form, may still run.
    bool late_copy_possible() const noexcept { return late_copy_possible_; }
    /// The first reply of two.
    struct half_answer {
        resp::value reply;
        bool repeated; ///< an earlier copy of the call may have run
    };
    /// True: it may have run, or may run. `half`: what has been answered.
    bool abandon(std::function<void(resp::value const&)> late = {}, std::optional<half_answer>* half = nullptr);

private:
    void prepare(call_lane& lane, locking::wire_call const& call, bool will_wait);
    void submit(std::string bytes, base::waker waker);
    bool follow(connection::call& answered, base::function_ref<base::waker()> make_waker);

    call_lane* where_ = nullptr;
    locking::script const* script_ = nullptr; ///< null: plain commands
    int replies_ = 1;
    std::int32_t slot_ = -1;                    ///< of its key, in a cluster
    base::instant redirected_at_ = base::never; ///< the first time
    int redirects_in_a_row_ = 0;                ///< by nodes that have answered
    bool asking_ = false; ///< the node is told that it is asked although the slot is not its own yet
    std::atomic<bool> const* unless_ = nullptr;
    bool will_wait_ = true;
    bool impatient_ = false;
    bool at_first_only_ = false;
    bool once_ = false;
    bool by_text_ = false;
    bool repeated_ = false;
    bool late_copy_possible_ = false;
    connection::call_ptr call_;
    connection::call_ptr permission_; ///< ASKING, behind which call_ was sent; null: there was none
};

} // namespace redlatch::io
