// A release under way: carries out what release_op decides.
//
// | stage     | event                               | action, next                                                           |
// |-----------|-------------------------------------|------------------------------------------------------------------------|
// | beginning | the tenure is another operation's   | wait for its end                                                       |
// | beginning | the next one here has it, or may;   | finished: nothing, or lease_lost                                       |
// |           | nothing to release; lost before     |                                                                        |
// | beginning | a level is to be released           | renewal of a last one ends; release_op begins; behind the bytes of a   |
// |           |                                     | last one the next local waiter is woken -> calling                     |
// | calling   | an answer, an error, min(timeout,   | release_op says what comes next                                        |
// | pausing   | remaining validity)                 |                                                                        |
#pragma once

#include "io/client_core.hpp"
#include "io/lock_call.hpp"
#include "io/operation.hpp"
#include "locking/release_op.hpp"

#include <memory>
#include <optional>
#include <string>

namespace redlatch::io {

class releasing final : public operation {
public:
    /// With others: of destructors, which may come one after the other; all of them together wait for a server that is away
    /// no longer than one. Unlimited: goes on until it is answered or the client is closed, and nobody waits for the answer.
    enum class patience { by_settings, with_others, unlimited };

    releasing(std::shared_ptr<client_core> core, locking::tenure_ptr tenure, std::uint64_t level_number,
              patience grace = patience::by_settings);
    /// Unfinished: an exception has ended it. The level ends all the same, in the background.
    ~releasing() override;

    bool step() override;
    bool ready() const override;

    /// Sent, and waiting for nothing but the answer.
    bool on_its_way() const noexcept { return stage_ == stage::calling; }
    std::error_code result() const noexcept { return result_; }
    std::string message() const;

private:
    enum class stage { beginning, calling, pausing, finished };
    bool begin();
    void give_up();
    bool call(locking::release_op::form form);
    bool on_called();
    bool on_paused();
    bool on_released(locking::release_answer const& answer, bool repeated, base::instant now);
    std::int64_t heard_by_others(locking::release_answer const& answer);
    bool on_error(connection::call const& answered);
    bool on_no_answer();
    bool carry_out(locking::release_op::action const& action, base::instant now);
    locking::release_op::commands taken() const;
    /// Of a minimum hold, what is left.
    base::milliseconds kept_for() const {
        if (kept_until_ == base::instant::min()) return base::milliseconds(0);
        return locking::time_until(kept_until_, lease_clock::now());
    }
    std::error_code code_of(locking::release_op::outcome outcome) const noexcept;
    bool finish(std::error_code code) {
        return finish(code, [](locking::lock_table&, base::wake_list&) {});
    }
    /// `also`: what else is to be done under the table's mutex.
    bool finish(std::error_code code, base::function_ref<void(locking::lock_table&, base::wake_list&)> also);
    void tell_local_head(std::optional<locking::channel_sample> const& yields_since = {});

    std::shared_ptr<client_core> core_;
    locking::tenure_ptr const tenure_;
    locking::record_ptr const record_;
    node* node_; ///< the server of this lock
    std::uint64_t const level_number_;
    patience const patience_;
    std::optional<base::instant> made_; ///< until the first look
    base::instant deadline_;
    stage stage_ = stage::beginning;
    bool in_operation_ = false; ///< its owner's operation; not where it overtakes another one
    locking::lock_table::release_plan plan_;
    base::instant kept_until_ = base::instant::min(); ///< of a minimum hold
    std::optional<locking::release_op> op_;           ///< once it is known what is to be released
    write_gate::waiter refused_{};                    ///< while the server executes no writes
    lock_call call_;
    bool others_listen_ = false;   ///< to the release before this one
    bool crowded_ = false;         ///< and they are many
    bool left_to_pollers_ = false; ///< of a kind without messages: they count as one that heard it
    std::string_view message_ = locking::unlock_message; ///< of the release
    std::optional<locking::channel_sample> own_{};       ///< the channel with the message of this release
    std::int64_t own_ears_ = 0;                          ///< of those that hear the message, this client's own
    std::optional<std::int64_t> others_{};               ///< so many connections of others heard the message
    bool announced_ = true;                              ///< it was sent, or may not be
    bool heard_elsewhere_ = false; ///< on the node to which the slot is on its way, where nobody listens yet
    base::instant sent_at_{};      ///< what was answered last
    std::error_code result_;
    std::string server_said_;
};

} // namespace redlatch::io
