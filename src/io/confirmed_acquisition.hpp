// An acquisition that ends when enough replicas have the lock as well: an acquisition, and a question.
//
// | stage     | event                                    | next                                                              |
// |-----------|------------------------------------------|-------------------------------------------------------------------|
// | acquiring | it fails                                 | finished: with its failure                                        |
// | acquiring | it succeeds, by whatever way             | beginning                                                         |
// | beginning | another operation of the owner runs      | wait for its end                                                  |
// | beginning |                                          | the replicas are asked -> asking                                  |
// | asking    | enough have confirmed                    | finished: acquired                                                |
// | asking    | fewer; nobody has answered in time       | given back, and acquired anew -> acquiring; where that is not to  |
// |           |                                          | be, the policy decides: finished                                  |
// | asking    | it cannot be asked: WAIT is refused      | the policy decides: finished, as if there were no replicas, or    |
// |           |                                          | refused                                                           |
// | asking    | the hold is lost, or its validity over   | finished: lease_lost                                              |
// | any       | cancelled, closed                        | given back, finished                                              |
// What is given back goes as every release does, and nobody waits for its answer.
#pragma once

#include "io/acquisition.hpp"
#include "io/replica_confirmation.hpp"

#include <redlatch/replica_policy.hpp>

#include <memory>
#include <optional>
#include <string>
#include <system_error>

namespace redlatch::io {

class confirmed_acquisition final : public operation {
public:
    confirmed_acquisition(std::shared_ptr<client_core> core, acquisition::request order, replica_policy const& policy);
    ~confirmed_acquisition() override;

    bool step() override;
    bool ready() const override;

    // As of acquisition.
    std::error_code result() const noexcept { return result_; }
    std::string message() const;
    locking::tenure_ptr const& tenure() const noexcept { return inner_->tenure(); }
    std::uint64_t level_number() const noexcept { return inner_->level_number(); }
    std::uint64_t token() const noexcept { return inner_->token(); }
    void handed_over() noexcept { inner_->handed_over(); }
    /// How many replicas, as far as they have answered.
    int confirmed_by() const noexcept { return replicas_.confirmed_by(); }

private:
    enum class stage { acquiring, beginning, asking, finished };
    using answer = replica_confirmation::answer;

    bool acquire();
    bool begin();
    bool ask();
    bool on_asked(base::instant now);
    void end_question();
    bool on_answer(answer said, base::instant now);
    bool accept();
    bool finish(std::error_code result);
    bool finish_without(std::error_code result);
    void give_back();
    void stop_counting();
    bool holds(base::instant now) const { return tenure()->holds(now); }

    std::shared_ptr<client_core> const core_;
    acquisition::request const request_; ///< of what is provisional until its replicas have it
    bool const stays_provisional_;
    replica_confirmation replicas_;
    stage stage_ = stage::acquiring;
    std::optional<acquisition> inner_;
    bool in_operation_ = false;
    bool counted_ = false; ///< among the operations under way
    std::error_code result_;
    enum class reason { inner, replicas, lost, ended };
    reason why_ = reason::inner; ///< of a failure
};

} // namespace redlatch::io
