// A call about a lock on its way for an operation: plain commands, or a script, by its SHA-1 first, by its text where the
// server does not know it.
#pragma once

#include "connection/server_error.hpp"
#include "io/call_lane.hpp"
#include "locking/plain_call.hpp"
#include "locking/script_call.hpp"

#include <atomic>
#include <functional>
#include <optional>
#include <variant>

namespace redlatch::io {

/// Not thread-safe; belongs to one operation.
class lock_call {
public:
    using question = std::variant<locking::script_call, locking::plain_call>;

    /// With `unless`, nothing is sent any more once it is set: see call_lane::submit.
    void begin(call_lane& where, locking::script_call what, base::waker const& who, bool will_wait,
               std::atomic<bool> const* unless = nullptr);
    /// The same by its text at once: where what follows on the connection must find it done.
    void begin_by_text(call_lane& where, locking::script_call what, base::waker const& who, bool will_wait);
    void begin(call_lane& where, locking::plain_call what, base::waker const& who, bool will_wait,
               std::atomic<bool> const* unless = nullptr);

    bool under_way() const noexcept { return call_ != nullptr; }
    /// Answered or closed; may be asked under the lane's mutex.
    bool finished() const noexcept { return call_ && call_->finished(); }
    /// The finished call, but for NOSCRIPT: then the text was sent and the call is under way again.
    connection::call_ptr take();
    /// The server did not know the script: what it answered was its text.
    bool by_text() const noexcept { return by_text_; }
    /// An earlier copy of it, in either form, may still run.
    bool unfenced() const noexcept { return unfenced_; }
    /// The first reply of two.
    struct half_answer {
        resp::value reply;
        bool repeated; ///< an earlier copy of the call may have run
    };
    /// True: it may have run, or may run. `half`: what has been answered.
    bool abandon(std::function<void(resp::value const&)> late = {}, std::optional<half_answer>* half = nullptr);

private:
    void prepare(call_lane& where, base::waker const& who, bool will_wait, std::atomic<bool> const* unless);
    void submit(std::string bytes, int replies = 1);

    call_lane* where_ = nullptr;
    std::optional<locking::script_call> what_; ///< none: plain commands
    base::waker who_;
    std::atomic<bool> const* unless_ = nullptr;
    bool will_wait_ = true;
    bool by_text_ = false;
    bool unfenced_ = false;
    connection::call_ptr call_;
};

} // namespace redlatch::io
