// Acquires the members of a multi lock or a red lock: all or nothing, or the majority.
//
// In rounds. A round is a list of steps; in a step some members are asked at the same time. When a step has failed, everything
// is given back, and the next round begins, until the wait ends.
//
// | lock            | first round       | later rounds                                                                  |
// |-----------------|-------------------|-------------------------------------------------------------------------------|
// | multi, no order | all at once, once | the busy one, for as long as it takes; then the rest at once, for a moment    |
// | multi, by name  | all at once, once | one after the other, each for as long as it takes                             |
// | the same, once  | one after another | none                                                                          |
// | red             | all, for a moment | the same                                                                      |
//
// A moment is random, so that those who are in each other's way do not begin again at the same time. After a round that has
// failed sooner, since its members said at once that they cannot be had, the next one begins only when the moment is over. Who
// gives up the minority of a red lock pauses for a random time, in which those who have the others can acquire it. A fixed
// lease runs while a step waits: the steps of a round that hold something wait for a quarter of it, all together. Members that
// this process has just released are left to others for a while before the first round (release_yield.hpp).
#pragma once

#include "api/joint_wait.hpp"
#include "api/multi_hold_state.hpp"
#include "api/multi_lock_impl.hpp"
#include "base/random.hpp"
#include "base/time.hpp"

#include <redlatch/completion.hpp>
#include <redlatch/hold.hpp>
#include <redlatch/multi_hold.hpp>
#include <redlatch/options.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <vector>

namespace redlatch::detail {

/// Thread-safe. Kept alive by its requests.
class multi_acquisition final : public joint_work, public std::enable_shared_from_this<multi_acquisition> {
public:
    /// `for_ever`: what no options.wait means; if not, to ask once.
    multi_acquisition(std::shared_ptr<multi_lock_impl const> group, acquire_options const& options, bool for_ever);
    ~multi_acquisition() override;

    void begin() noexcept;
    /// What is still asked for is given back when it is answered.
    void end_early(errc reason) noexcept override;
    /// With the next round.
    void go_on() noexcept override;
    /// The client of a member was closed.
    void on_client_closed() noexcept;
    /// When it is to be ended early.
    base::instant deadline() const;
    /// Once it has ended; empty: it has failed.
    multi_hold take();

private:
    struct step {
        std::vector<std::size_t> members;
        std::optional<duration> limit; ///< none: all the time that is left
    };
    struct failure {
        std::size_t member = 0;
        std::error_code code;
        std::string message;
        bool at_once = false; ///< before the time was over for which it was asked
        bool for_now =
            false; ///< its server is there, and executes no writes until it has replicas, memory or a disk again
    };
    enum class act {
        nothing,
        stop_asking, ///< what has been asked in this step, as on_answer() does
        ask,
        begin_again,
        finish,
    };
    class answer;
    struct on_closed {
        std::weak_ptr<multi_acquisition> whom;
        void operator()() const noexcept;
    };

    void watch_clients();
    void on_answer(std::size_t member, outcome const& member_outcome, hold got) noexcept;
    void carry_out(act next) noexcept;
    void take_step(act next);
    void ask();
    void begin_again();
    void finish() noexcept;

    // Under the mutex.
    act decide() noexcept;
    act end_without_memory() noexcept;
    act next_act();
    act on_step_ended();
    act on_round_failed();
    act on_lapsed();
    act begin_round();
    act begin_step();
    act end_with(std::error_code code, std::string message) noexcept;
    act on_end_early(errc reason);
    std::string whose_client_is_closed() const;
    failure const* busy_member() const;
    bool is_unanswered() const;
    std::string unanswered() const;
    std::vector<step> plan();
    step asks_all_others(std::size_t but, duration limit) const;
    base::instant left_to_others_until();
    void note_left_in_vain();
    duration moment();
    duration drawn_between(duration least, duration most);
    void leave_minority_to_others();
    duration longest_moment_now() const;
    duration left() const;
    duration left_of_lease() const;
    std::size_t held() const;
    void on_asking(std::optional<duration> limit, duration wait);
    bool was_at_once(std::size_t member) const;
    bool fails_fast(failure const& one) const;
    std::optional<std::size_t> away_for_too_long() const;
    bool is_for_now(std::size_t member, std::error_code code) const;
    failure why_away(std::size_t member) const;
    bool is_final(failure const& one) const;
    failure const* final_failure() const;
    std::string which_one(failure const& one) const;

    std::shared_ptr<multi_lock_impl const> const group_;
    acquire_options const options_; ///< wait and stop are not the members'
    base::instant const began_;
    bool const for_ever_;
    bool const may_wait_;
    base::instant const deadline_;
    std::list<std::stop_callback<on_closed>> watched_clients_{}; ///< written before it begins

    std::mutex mutex_; // guards what follows
    std::vector<step> steps_{};
    std::size_t step_ = 0;
    base::instant waits_holding_since_{};      ///< in this round
    base::instant asked_at_{};                 ///< the members of this step
    duration asked_for_{0};                    ///< how long they may wait
    base::instant next_round_at_{base::never}; ///< or later, if this step fails
    bool left_to_others_ = false;              ///< before the first round
    std::size_t rounds_ = 0;
    std::size_t pending_ = 0; ///< members that have not answered in this step
    std::vector<hold> holds_;
    std::vector<failure> failures_{}; ///< of this step
    std::size_t first_busy_ = 0;
    std::stop_source asking_{}; ///< ends the requests of this step
    std::optional<base::random_source> random_{};
    bool finished_ = false;
    outcome last_{}; ///< what it ends with
    std::shared_ptr<multi_hold_state> acquired_{};
    std::weak_ptr<multi_hold_state> handed_over_{}; ///< whom those join who answer late
};

} // namespace redlatch::detail
