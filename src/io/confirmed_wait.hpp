// An acquisition of permits that ends when enough replicas have it as well: a wait, and a question.
//
// | stage     | event                                    | next                                                              |
// |-----------|------------------------------------------|-------------------------------------------------------------------|
// | acquiring | it fails                                 | finished: with its failure                                        |
// | acquiring | it succeeds                              | the replicas are asked -> asking                                  |
// | asking    | enough have confirmed                    | finished: acquired                                                |
// | asking    | fewer; nobody has answered in time; it   | given back, and acquired anew -> acquiring; where that is not to  |
// |           | cannot be asked: WAIT is refused         | be, the policy decides: finished                                  |
// | asking    | the lease of the permits is over         | given back, finished: lease_lost                                  |
// | asking    | the server does not know of it: another  | finished: lease_lost. What has ids is given back: one of several  |
// |           | one is master, or it was deleted         | may be there                                                      |
// | asking    | cancelled, closed                        | given back, finished                                              |
// What is given back is what a wait gives back that has ended before anybody had what it took.
#pragma once

#include "io/counter_wait.hpp"
#include "io/replica_confirmation.hpp"

#include <redlatch/replica_policy.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>

namespace redlatch::io {

class confirmed_wait final : public operation {
public:
    confirmed_wait(std::shared_ptr<client_core> core, counter_wait::request order, replica_policy const& policy);
    /// Unfinished, or what it has got was not handed over: gives it back.
    ~confirmed_wait() override;

    bool step() override;
    bool ready() const override;

    // As of counter_wait.
    std::error_code result() const noexcept { return result_; }
    std::string message() const;
    void handed_over() noexcept {
        if (inner_) inner_->handed_over();
    }
    /// After success: what was acquired.
    counter_wait const& acquired() const noexcept { return *inner_; }

private:
    enum class stage { acquiring, asking, finished };
    using answer = replica_confirmation::answer;

    counter_wait::request next_request();
    bool acquire();
    bool ask();
    bool on_asked(base::instant now);
    bool on_answer(answer said, base::instant now);
    bool accept();
    bool finish(std::error_code result);
    bool finish_without(std::error_code result);
    base::instant validity() const;
    void let_close_go_on();
    void stop_counting();
    std::string taken_in_words() const; ///< "2 permits of semaphore 'x'"

    std::shared_ptr<client_core> const core_;
    counter_wait::request const request_;
    replica_confirmation replicas_;
    int attempts_ = 0;
    stage stage_ = stage::acquiring;
    std::optional<counter_wait> inner_{};
    bool is_awaited_ = false; ///< by close(): what was taken is given back before
    bool counted_ = false;    ///< among the operations under way, while replicas are asked
    std::optional<std::stop_callback<std::function<void()>>> on_closing_{};
    std::error_code result_{};
    enum class reason { inner, replicas, lost, gone, ended };
    reason why_ = reason::inner; ///< of a failure
};

} // namespace redlatch::io
