// A wait for a counter: for permits of a semaphore, for a latch to be counted down, for another leader. Carries
// out what acquire_op decides, as acquisition does for locks; nothing is owned here, so there is no tenure.
#pragma once

#include "io/client_core.hpp"
#include "io/lock_call.hpp"
#include "io/operation.hpp"
#include "locking/acquire_op.hpp"
#include "locking/counter.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace redlatch::io {

class counter_wait final : public operation {
public:
    struct request {
        locking::counter_ptr what;
        std::int64_t amount = 1;
        std::string
            record{}; ///< of a request that is to be executed once; empty: where the outcome is unknown, that is said
        base::milliseconds lease{0}; ///< of a kind that names what it takes; zero: for ever
        std::string known{};         ///< counter_request::known
        bool may_wait = true;
        base::instant deadline = base::never;
        bool waits_for_ever = false; ///< no deadline: an outage ends it
    };

    counter_wait(std::shared_ptr<client_core> core, request order);
    /// Unfinished, or what it has got was not handed over: an exception has ended it. Does what cancelling does.
    ~counter_wait() override;

    bool step() override;
    bool ready() const override;

    /// After the last step. Zero: the wait has succeeded.
    std::error_code result() const noexcept { return result_; }
    std::string message() const;
    /// Of what was acquired, one behind the other; empty: it has none.
    std::string const& ids() const noexcept { return ids_; }
    /// When the request was sent that has taken it.
    base::instant taken_at() const noexcept { return taken_at_; }
    base::milliseconds lease() const noexcept { return request_.lease; }
    /// What was asked for, as the calls about it say it. Valid as long as this one.
    locking::counter_request about() const;
    /// As of confirmed_wait.
    counter_wait const& acquired() const noexcept { return *this; }
    /// How many replicas had it; none: they were not asked.
    std::optional<int> confirmed_by() const noexcept { return confirmed_by_; }
    void set_confirmed_by(int replicas) noexcept { confirmed_by_ = replicas; }
    /// The answer that has ended the wait with success, of a kind that asking does not change.
    resp::value const& answer() const noexcept { return answer_; }
    /// Whoever asked has what was acquired.
    void handed_over() noexcept { handed_over_ = true; }

private:
    using action = locking::acquire_op::action;

    locking::acquire_op::terms terms() const;
    base::milliseconds margin() const;
    void follow_key();
    void name_what_is_taken();
    void bar_late_copies();
    bool begin();
    bool carry_out(action const& next);
    bool attempt();
    bool wait(action const& next);
    bool on_queued();
    bool on_head();
    bool on_called();
    bool on_answered(connection::call const& answered);
    bool on_waited();
    bool on_interruption(action const& last);
    bool on_unknown_outcome();
    bool finish();
    void leave();
    void leave_line();
    void abandon_call();
    void settle_debt();
    void stop_counting();
    /// What has been taken is known, and given back if nobody wants it.
    void stop_asking() {
        if (std::exchange(asks_, false)) core_->request_ended();
    }
    /// close() waits for it.
    bool awaits_answer() const noexcept { return asks_ && call_.under_way(); }
    bool at_head() const noexcept { return waiter_->at_head.load(std::memory_order_acquire); }
    /// Permits have come for it.
    bool told() const noexcept { return waiter_ && waiter_->released.load(std::memory_order_acquire); }
    /// A message makes it ask: the first one in line, where there is one.
    bool heeds_messages() const noexcept { return !waiter_ || at_head(); }
    base::instant outage_at();
    base::instant end_of_hope();
    bool is_impatient() const { return !request_.may_wait || core_->settings().fail_fast; }
    locking::precedence others_first();
    locking::acquire_op::knowledge of_others();

    std::shared_ptr<client_core> core_;
    request request_;
    std::string ids_{};
    node* node_;
    base::instant const began_;
    base::instant now_; ///< when this step began
    locking::acquire_op op_;
    locking::waiter_ptr waiter_{}; ///< in line with others of this process
    locking::channel_ptr channel_{};
    locking::channel_sample sample_{};
    base::instant asked_at_{};
    base::instant taken_at_{};
    write_gate::waiter refused_{}; ///< while the server executes no writes
    lock_call call_;
    bool done_ = false;
    bool acquired_ = false;
    std::optional<std::int64_t> left_{};  ///< of acquired: how many more there were; none: it is not known
    base::instant back_at_ = base::never; ///< of none left: some come back by themselves then
    bool may_have_taken_ =
        false; ///< permits that nobody wants: by a copy that may have run, or before the client closed
    bool late_copy_possible_ = false;
    bool asks_ = false; ///< a call that may change the counter is on its way
    bool handed_over_ = false;
    std::optional<int> confirmed_by_{};
    bool counted_ = true;      ///< among the operations under way
    bool too_many_ = false;    ///< asked for: more than there are, taken or not
    bool after_yield_ = false; ///< others could have asked before it, and nothing tells that one did
    std::error_code result_;
    std::string server_said_;
    resp::value answer_{};
};

} // namespace redlatch::io
