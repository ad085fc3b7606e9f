// A release under way.
//
// | stage     | event                               | action, next                                                           |
// |-----------|-------------------------------------|------------------------------------------------------------------------|
// | beginning | the tenure is another operation's   | wait for the turn                                                      |
// | beginning | the next one here has it, or may     | finished                                                               |
// | beginning | nothing to release, or lost before  | finished: nothing, or lease_lost                                       |
// | beginning | other levels stay                   | write the count -> calling                                             |
// | beginning | the last level                      | renewal ends; send the release; wake the next local waiter, whose      |
// |           |                                     | attempt goes right behind it -> calling                                |
// | calling   | done                                | finished; where the message may not have been sent the reaper sends it |
// | calling   | plain commands are refused          | the script, at once                                                    |
// | calling   | not held, first attempt             | finished: lease_lost                                                   |
// | calling   | not held, a repeated attempt        | while valid, our first attempt did it; afterwards lease_lost           |
// | calling   | not executed (LOADING, ...)         | pause, again -> pausing                                                |
// | calling   | min(timeout, remaining validity)    | last level: the reaper goes on, finished: outcome_unknown              |
// |           |                                     | others: the local count is the truth, finished                         |
#pragma once

#include "io/client_core.hpp"
#include "io/lock_call.hpp"
#include "io/operation.hpp"

#include <memory>
#include <optional>
#include <string>

namespace redlatch::io {

class releasing final : public operation {
public:
    /// Unlimited: goes on until it is answered or the client is closed, and nobody waits for the answer.
    enum class patience { by_settings, unlimited };

    releasing(std::shared_ptr<client_core> core, locking::tenure_ptr tenure, std::uint64_t level_number,
              patience how = patience::by_settings);

    bool step() override;
    bool ready() const override;

    /// Sent, and waiting for nothing but the answer.
    bool on_its_way() const noexcept { return stage_ == stage::calling; }
    std::error_code result() const noexcept { return result_; }
    std::string sentence() const;

private:
    enum class stage { beginning, calling, pausing, finished };
    bool begin();
    bool call();
    bool on_called();
    bool on_partial(connection::call const& answered, base::instant now);
    bool on_released(locking::release_answer const& answer, bool repeated, base::instant now);
    std::int64_t heard_by_others(locking::release_answer const& answer);
    bool on_error(resp::value const& reply);
    bool on_timeout();
    bool finish(std::error_code how) {
        return finish(how, [](locking::lock_table&) {});
    }
    /// `also`: what else is to be done under the table's mutex.
    bool finish(std::error_code how, base::function_ref<void(locking::lock_table&)> also);
    void pass_on(std::optional<locking::channel_sample> const& held_back_since = {});

    std::shared_ptr<client_core> core_;
    locking::tenure_ptr const tenure_;
    locking::record_ptr const record_;
    std::uint64_t const level_number_;
    patience const patience_;
    std::optional<base::instant> made_; ///< until the first look
    base::instant deadline_;
    stage stage_ = stage::beginning;
    locking::lock_table::release_plan plan_;
    lock_call call_;
    bool plain_ = false;                         ///< what is under way is no script
    bool called_before_ = false;                 ///< and this is another attempt
    bool others_listen_ = false;                 ///< to the release before this one
    bool crowded_ = false;                       ///< and they are many
    std::optional<std::uint64_t> own_message_{}; ///< the channel's count with the message of this release
    std::int64_t own_ears_ = 0;                  ///< of those that hear the message, this client's own
    std::error_code result_;
    std::string server_said_;
};

} // namespace redlatch::io
