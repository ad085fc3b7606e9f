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
        bool adapter = false;
        bool waits_for_ever = false; ///< no deadline: an outage ends it
    };

    acquisition(std::shared_ptr<client_core> core, request what);
    ~acquisition() override;

    bool step() override;
    bool ready() const override;

    /// After the last step. Zero: acquired.
    std::error_code result() const noexcept { return result_; }
    /// The full sentence of a failure.
    std::string sentence() const;
    locking::tenure_ptr const& tenure() const noexcept { return tenure_; }
    std::uint64_t level_number() const noexcept { return level_number_; }

private:
    enum class stage { beginning, queued, calling, waiting, pausing, finished };
    using action = locking::acquire_op::action;

    bool advance();
    void stop_counting();
    bool begin();
    bool carry_out(action what);
    bool attempt(bool plain);
    bool wait(action const& what);
    bool pause(base::instant until);
    void wait_again();
    bool on_queued();
    bool enqueue();
    bool look(locking::lock_table& table, base::wake_list& woken);
    bool go_on_as_head();
    void stand_back();
    bool on_granted();
    locking::level asked_level(base::instant from) const;
    bool on_called();
    bool on_waited();
    bool on_interruption(action last);
    bool finish(action const& last);
    void take_level(base::instant sent_at);
    bool known_busy();
    std::optional<base::milliseconds> max_hold() const { return request_.lease ? std::nullopt : request_.max_hold; }
    base::instant outage_at();
    std::error_code code_of(locking::acquire_op::outcome how) const noexcept;

    std::shared_ptr<client_core> core_;
    request const request_;
    base::milliseconds const lease_;
    base::instant const began_;
    base::instant now_; ///< when this step began; of the first one of a blocking call: when it was made
    stage stage_ = stage::beginning;
    std::optional<locking::acquire_op> op_;
    locking::tenure_ptr tenure_;
    bool has_turn_ = false;
    bool counted_ = true; ///< among the operations under way
    locking::place_ptr place_;
    locking::lock_table::finding found_; ///< of the last look
    bool held_back_ = false;             ///< likewise: it may be free, but other processes are to have a turn
    bool looked_ = false;
    bool contended_ = false; ///< others of this process were before it, or other processes have listened lately
    locking::channel_ptr channel_;
    locking::channel_sample sample_;
    lock_call call_;
    bool plain_ = false; ///< what is under way is no script
    std::uint64_t level_number_ = 0;
    std::error_code result_;
    bool may_hold_ = false; ///< the last answer does not deny that a copy of the call has run
    std::string server_said_;
};

} // namespace redlatch::io
