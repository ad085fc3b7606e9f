// Asks several members something at the same time.
#pragma once

#include "api/joint_wait.hpp"

#include <redlatch/completion.hpp>

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace redlatch::detail {

/// Ends when all have answered, with the failure of the first member that failed. Thread-safe.
template <class Answer>
class joint_answers final : public joint_work, public std::enable_shared_from_this<joint_answers<Answer>> {
public:
    /// start_… of a member.
    using starter = std::function<std::optional<outcome>(std::size_t member, completion_ptr<Answer>& done)>;

    /// `subject`: of messages, as in "looking at the multi lock of 'a', 'b'".
    joint_answers(std::vector<std::string> names, std::string subject)
        : subject_(std::move(subject)), names_(std::move(names)), pending_(names_.size()), answered_(names_.size()),
          failures_(names_.size()), answers_(names_.size()) {}

    /// What has ended before asks nobody.
    void begin(starter const& start) noexcept {
        outcome const no_memory(std::make_error_code(std::errc::not_enough_memory), {});
        for (std::size_t member = 0; member < names_.size() && !this->ended(); ++member) {
            completion_ptr<Answer> done(new (std::nothrow) listener(this->shared_from_this(), member));
            if (!done) {
                on_answer(member, no_memory, Answer());
                continue;
            }
            std::optional<outcome> at_once;
            try {
                at_once = start(member, done);
            } catch (std::bad_alloc const&) {
                at_once = no_memory;
            }
            if (at_once && done) done.release()->complete(*at_once, Answer());
        }
    }

    void end_early(errc reason) noexcept override {
        outcome result;
        {
            std::lock_guard const guard(mutex_);
            if (std::exchange(finished_, true)) return;
            result = reason == errc::timed_out ? first_failure() : failure(reason, {});
        }
        this->end(std::move(result));
    }

    /// In the order of the members; once it has ended without a failure.
    std::vector<Answer> take() { return std::move(answers_); }

private:
    /// Of one member.
    class listener final : public completion<Answer> {
    public:
        listener(std::shared_ptr<joint_answers> whole, std::size_t member)
            : whole_(std::move(whole)), member_(member) {}

        void complete(outcome const& outcome, Answer answer) noexcept override {
            std::unique_ptr<listener> const self(this);
            whole_->on_answer(member_, outcome, std::move(answer));
        }
        void discard() noexcept override {
            complete(outcome(errc::closed, "the event loop of the client is gone"), Answer());
        }

    private:
        std::shared_ptr<joint_answers> const whole_;
        std::size_t const member_;
    };

    void on_answer(std::size_t member, outcome const& member_outcome, Answer answer) noexcept {
        outcome result;
        {
            std::lock_guard const guard(mutex_);
            if (finished_) return;
            answered_[member] = true;
            if (member_outcome.failed())
                failures_[member] = outcome(member_outcome.code(), message_of(member_outcome));
            else
                answers_[member] = std::move(answer);
            if (--pending_ > 0) return;
            finished_ = true;
            result = first_failure();
        }
        this->end(std::move(result));
    }

    /// With the mutex. In the order of the members; who has not answered counts as failed.
    outcome first_failure() noexcept {
        for (std::size_t member = 0; member < names_.size(); ++member) {
            if (failures_[member].failed()) return std::move(failures_[member]);
            if (!answered_[member])
                return failure(errc::disconnected, {"the server of ", names_[member], " did not answer in time"});
        }
        return {};
    }

    /// Without words: what the code says. Without memory for a message the code says enough.
    outcome failure(errc reason, std::initializer_list<std::string_view> words) const noexcept {
        std::string text;
        try {
            text = subject_ + ": ";
            for (auto const word : words) text += word;
            if (words.size() == 0) text += make_error_code(reason).message();
        } catch (std::bad_alloc const&) {
            text.clear();
        }
        return {reason, std::move(text)};
    }

    std::string const subject_;
    std::vector<std::string> const names_; ///< of the members, as messages show them

    std::mutex mutex_; // guards what follows
    std::size_t pending_;
    std::vector<bool> answered_;
    std::vector<outcome> failures_;
    std::vector<Answer> answers_;
    bool finished_ = false;
};

} // namespace redlatch::detail
