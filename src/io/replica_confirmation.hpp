// What the replicas of a server say of one acquisition, and what its policy makes of that. It asks, decides and composes the
// messages; whoever acquires keeps what was acquired, or gives it back.
#pragma once

#include "io/node.hpp"
#include "io/replica_question.hpp"
#include "locking/replica_demand.hpp"

#include <redlatch/replica_policy.hpp>

#include <string>
#include <system_error>

namespace redlatch::io {

class replica_confirmation {
public:
    enum class answer {
        enough,
        few,         ///< or none in time
        not_held,    ///< what replicas are to have is not there any more
        cannot_wait, ///< the server does not say what its replicas have
        refused,     ///< the server refused to write it once more
    };
    /// What becomes of what was acquired.
    enum class decision {
        confirmed,
        accepted, ///< although too few replicas have it
        given_back,
        acquired_anew, ///< after it was given back
    };

    explicit replica_confirmation(replica_policy const& policy);
    replica_confirmation(replica_confirmation const&) = delete;
    replica_confirmation& operator=(replica_confirmation const&) = delete;
    ~replica_confirmation() { forget(); }

    /// It has been acquired on `master`: the time of the policy begins.
    void start(node& master, base::instant now) {
        master_ = &master;
        until_ = base::later(now, policy_.time);
    }
    base::instant until() const noexcept { return until_; }
    /// Has the policy's `replicas` asked whether they have the write `mark`.
    void ask(node& master, locking::wire_call mark, locking::count_reply (*read_mark)(resp::value const&),
             base::waker const& waker);
    bool has_been_asked() const noexcept { return question_ != nullptr; }
    bool has_ended() const noexcept { return question_ && question_->has_ended(); }
    /// What has been said so far; nobody waits for more.
    answer end();
    /// Nobody waits for an answer.
    void forget() noexcept {
        if (question_) question_->unwanted.store(true, std::memory_order_relaxed);
    }
    /// Of any answer but `not_held`. Acquired anew: as if it had not been asked yet. `deadline`: of further attempts.
    decision decide(answer said, base::instant now, base::instant deadline);

    // Of the last answer that was decided on.

    /// Why the acquisition has failed that was given back.
    std::error_code failure(bool may_wait) const noexcept;
    /// Where it was accepted: the listener is told. Of a server without WAIT that the policy does not need: once.
    bool is_told() const;
    /// Where it was accepted: "only 1 of 2 replicas of the server ... confirmed it within ... ms".
    std::string shortage() const;
    /// Where it was given back. `given_back`: "lock 'x' was given back".
    std::string message(std::string const& given_back) const;

    /// How many replicas, as far as they have answered.
    int confirmed_by() const noexcept { return confirmed_ < 0 ? 0 : confirmed_; }

private:
    std::string count_text() const;
    std::string unsupported_text() const;

    replica_policy const policy_;
    locking::replica_demand const demand_;
    int retries_left_;
    base::instant until_{};
    node* master_ = nullptr; ///< that has given it, or was asked
    replica_question_ptr question_{};
    int confirmed_ = -1;
    int connected_ = -1;
    answer said_ = answer::enough; ///< that was decided on
    std::string server_said_{};
};

} // namespace redlatch::io
