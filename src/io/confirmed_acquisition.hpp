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
#include "io/replica_question.hpp"
#include "locking/replica_demand.hpp"

#include <redlatch/replica_policy.hpp>

#include <algorithm>
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
    int confirmed_by() const noexcept { return std::max(confirmed_, 0); }

private:
    enum class stage { acquiring, beginning, asking, finished };
    enum class shortage { counted, cannot_wait };

    bool acquire();
    bool begin();
    bool ask();
    bool on_asked(base::instant now);
    void end_question();
    bool on_few(shortage cause, base::instant now);
    bool accept(shortage cause);
    bool finish(std::error_code result);
    bool finish_without(std::error_code result);
    void give_back();
    void stop_counting();
    std::error_code not_acquired() const noexcept;
    bool holds(base::instant now) const { return tenure()->holds(now); }
    bool enough() const noexcept { return demand_.is_met(confirmed_, connected_); }
    std::string count_text() const;
    std::string unsupported_text() const;

    std::shared_ptr<client_core> const core_;
    acquisition::request const request_; ///< of what is provisional until its replicas have it
    bool const stays_provisional_;
    replica_policy const policy_;
    locking::replica_demand const demand_;
    int retries_left_;
    stage stage_ = stage::acquiring;
    std::optional<acquisition> inner_;
    bool in_operation_ = false;
    bool counted_ = false; ///< among the operations under way
    base::instant until_{};
    node* node_ = nullptr; ///< that was asked
    replica_question_ptr question_;
    int confirmed_ = -1;
    int connected_ = -1;
    std::string server_said_;
    std::error_code result_;
    enum class reason { inner, few, cannot_wait, lost, refused, ended };
    reason why_ = reason::inner; ///< of a failure
};

} // namespace redlatch::io
