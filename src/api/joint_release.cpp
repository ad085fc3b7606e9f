#include "api/joint_release.hpp"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

namespace redlatch::detail {

/// Of one member.
class joint_release::answer final : public completion<> {
public:
    answer(std::shared_ptr<joint_release> whole, std::size_t member) : whole_(std::move(whole)), member_(member) {}

    void complete(outcome const& outcome) noexcept override {
        std::unique_ptr<answer> const self(this);
        whole_->on_answer(member_, outcome);
    }
    void discard() noexcept override {
        complete(outcome(errc::closed, "the event loop of the client is gone; the lease will end"));
    }

private:
    std::shared_ptr<joint_release> const whole_;
    std::size_t const member_;
};

joint_release::joint_release(std::vector<hold> holds, std::size_t needed, std::string subject)
    : subject_(std::move(subject)), holds_(std::move(holds)), needed_(std::min(needed, holds_.size())),
      pending_(holds_.size()), failures_(holds_.size()) {}

joint_release::~joint_release() {
    for (auto& one : holds_) one.release_detached();
}

void joint_release::begin() {
    if (holds_.empty()) return end(outcome());
    outcome const no_memory(std::make_error_code(std::errc::not_enough_memory), {});
    for (std::size_t i = 0; i < holds_.size(); ++i) {
        completion_ptr<> done(new (std::nothrow) answer(shared_from_this(), i));
        if (!done) {
            holds_[i].release_detached();
            on_answer(i, no_memory);
            continue;
        }
        std::optional<outcome> at_once;
        try {
            at_once = holds_[i].start_release(done);
        } catch (std::bad_alloc const&) { // it is given back all the same
            at_once = no_memory;
        }
        if (at_once && done) done.release()->complete(*at_once);
    }
}

void joint_release::on_answer(std::size_t member, outcome const& member_outcome) noexcept {
    outcome result;
    {
        std::lock_guard const guard(mutex_);
        if (finished_) return;
        if (member_outcome.failed())
            failures_[member] = outcome(member_outcome.code(), message_of(member_outcome));
        else
            ++released_;
        if (--pending_ > 0) return;
        finished_ = true;
        if (!enough())
            result = std::move(
                *std::find_if(failures_.begin(), failures_.end(), [](auto const& one) { return one.failed(); }));
    }
    end(std::move(result));
}

void joint_release::end_early(errc reason) noexcept {
    if (reason == errc::cancelled) return;
    bool given_back = false;
    {
        std::lock_guard const guard(mutex_);
        if (std::exchange(finished_, true)) return;
        given_back = enough();
    }
    if (given_back) return end(outcome());
    outcome const unanswered(errc::outcome_unknown, &subject_, [](void const* subject) {
        return "the release of the " + *static_cast<std::string const*>(subject)
               + " was not answered for by all members; it goes on in the background, or their leases end";
    });
    end(outcome(unanswered.code(), message_of(unanswered)));
}

} // namespace redlatch::detail
