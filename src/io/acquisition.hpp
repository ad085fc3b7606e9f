// An acquisition under way: carries out what acquire_op decides.
#pragma once

#include "io/client_core.hpp"
#include "io/lock_call.hpp"
#include "io/operation.hpp"
#include "locking/acquire_op.hpp"

#include <redlatch/options.hpp>

#include <memory>
#include <optional>
#include <string>

namespace redlatch::io {

class acquisition final : public operation {
public:
    struct request {
        locking::record_ptr record;
        std::uint64_t owner_number = 0;
        bool may_wait = true;
        base::instant deadline = base::never;
        std::optional<base::milliseconds> lease{};
        std::optional<base::milliseconds> max_hold{};
        base::milliseconds hold_at_least{0};
        base::milliseconds lock_delay{0};
        bool adapter = false;
        bool provisional = false;         ///< its minimum hold counts only from when the level is no longer provisional
        bool fencing = false;             ///< it is to have a token; some kinds give one in any case
        bool waits_for_ever = false;      ///< no deadline: an outage ends it
        locking::retry_backoff backoff{}; ///< of a lock without a channel
        std::shared_ptr<std::string const> owner_suffix{}; ///< behind the id of its owner; null: what the recipe says
    };

    acquisition(std::shared_ptr<client_core> core, request order);
    /// Unfinished, or what it has acquired was not handed over: an exception has ended it. Does what cancelling does.
    ~acquisition() override;

    bool step() override;
    bool ready() const override;

    /// After the last step. Zero: acquired.
    std::error_code result() const noexcept { return result_; }
    /// The full message of a failure.
    std::string message() const;
    locking::tenure_ptr const& tenure() const noexcept { return tenure_; }
    std::uint64_t level_number() const noexcept { return level_number_; }
    /// Of what was acquired; 0: none.
    std::uint64_t token() const noexcept { return taken_at_ ? token_ : 0; }
    /// How many replicas have confirmed it: none was asked.
    static constexpr int confirmed_by() noexcept { return -1; }
    /// Whoever asked has what was acquired, and gives it back.
    void handed_over() noexcept { handed_over_ = true; }

private:
    using action = locking::acquire_op::action;

    bool advance();
    void stop_counting();
    void undo();
    bool begin();
    bool end_at_once(std::error_code reason);
    locking::acquire_op::terms terms(locking::lock_table::beginning const& found) const;
    bool carry_out(action next);
    bool attempt(bool plain);
    bool wait(action const& next);
    bool yield(action const& next);
    bool pause(base::instant until);
    void wait_again();
    bool on_queued();
    void prepare_waiter();
    void enter_queue(locking::lock_table& table, base::wake_list& woken);
    void follow_key();
    void listen_to_releases();
    std::string channel_to_listen_to() const;
    void leave_channel();
    bool queue(action const& next);
    void look(locking::lock_table& table, base::wake_list& woken);
    bool go_on_as_head(bool told);
    bool wants_token() const noexcept;
    bool watch(action const& next);
    void doubt_own_hold();
    void leave_turn_to_others();
    locking::precedence others_first(bool has_waited);
    bool on_granted();
    locking::level asked_level(base::instant from) const;
    bool on_called();
    bool on_waited();
    bool on_interruption(action last);
    bool finish(action const& last);
    void tell_of_count(std::string_view error);
    bool on_answer_read(action const& next, connection::call const& answered);
    bool needs_memory() const noexcept;
    void take_level(locking::lock_table& table, base::instant sent_at, base::wake_list& woken);
    locking::acquire_op::knowledge of_others();
    base::milliseconds lease_to_write() const noexcept;
    std::optional<base::milliseconds> max_hold() const { return request_.lease ? std::nullopt : request_.max_hold; }
    base::instant outage_at();

    std::shared_ptr<client_core> core_;
    request const request_;
    node* node_;                               ///< the server of this lock
    base::milliseconds const lease_;           ///< that the hold counts on
    base::milliseconds const lease_on_server_; ///< with the lock delay, and not less than a minimum hold
    locking::level const asked_;               ///< without what counts from the acquisition
    base::instant const began_;
    base::instant now_; ///< when this step began; of the first one of a blocking call: when it was made
    bool done_ = false;
    locking::acquire_op op_;
    locking::tenure_ptr tenure_;
    bool in_operation_ = false;
    bool handed_over_ = false;
    bool counted_ = true; ///< among the operations under way
    locking::waiter_ptr waiter_;
    locking::lock_table::finding found_;    ///< of the last look
    locking::precedence left_to_pollers_{}; ///< when that was found
    bool looked_ = false;
    base::instant asked_at_{}; ///< the attempt under way
    bool found_busy_ = false;  ///< a plain attempt found a key
    bool contended_ = false;   ///< others of this process were before it, or other processes have listened lately
    locking::channel_ptr channel_;
    locking::channel_sample sample_;
    bool caught_up_ = false;       ///< in this step: what has been published is counted
    bool after_silence_ = false;   ///< the attempt under way: others could have asked before it, and none was heard
    write_gate::waiter refused_{}; ///< while the server executes no writes
    lock_call call_;
    bool plain_ = false;                      ///< what is under way is no script
    std::optional<base::instant> taken_at_{}; ///< sent then, the attempt that has acquired
    std::uint64_t level_number_ = 0;
    std::error_code result_;
    bool may_be_queued_ = false; ///< on the server, under its id
    bool was_busy_ = false;      ///< once: where waiters queue on the server, it has a place
    bool may_hold_ = false;      ///< the last answer does not deny that a copy of the call has run
    std::uint64_t token_ = 0;    ///< of the last answer; once it is held, that of its tenure
    std::string server_said_;
    std::string forbidden_to_; ///< would_deadlock: the owner that holds it
    locking::tenure_ptr
        counterpart_{}; ///< the owner's hold of the exclusive half, beside which it takes the shared one
};

} // namespace redlatch::io
