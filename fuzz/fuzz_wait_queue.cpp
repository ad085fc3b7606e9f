// Any order of coming and going: exactly one head while there is anybody, first come first served, and nobody who should look
// up sleeps on.
#include "check.hpp"
#include "decisions.hpp"
#include "locking/wait_queue.hpp"
#include "sleeper.hpp"

#include <algorithm>
#include <vector>

namespace redlatch::fuzz {
namespace {

class queue_of_waiters {
public:
    explicit queue_of_waiters(decisions from) : next_(from) {}

    void run() {
        while (next_.more()) {
            step();
            look();
        }
        while (!inside_.empty()) leave(0);
        look();
    }

private:
    struct member {
        sleeper_ptr who = std::make_shared<sleeper>();
        locking::waiter_ptr waiter = std::make_shared<locking::waiter>(who);
    };

    void step() {
        switch (next_.below(6)) {
        case 0:
        case 1:
        case 2: return enter();
        case 3:
            if (!inside_.empty()) leave(next_.below(inside_.size()));
            return;
        case 4: return leave_as_a_stranger();
        default: return wake_all();
        }
    }

    void enter() {
        member fresh;
        check(queue_.enter(fresh.waiter) == inside_.empty(), "the first to come is the head at once, nobody else is");
        inside_.push_back(fresh);
    }

    void leave(std::size_t which) {
        forget_wakes();
        auto const gone = inside_[which];
        inside_.erase(inside_.begin() + static_cast<std::ptrdiff_t>(which));
        base::wake_list woken;
        queue_.leave(gone.waiter, woken);
        woken.wake_all();
        for (std::size_t i = 0; i < inside_.size(); ++i)
            check(inside_[i].who->woken == (which == 0 && i == 0 ? 1 : 0),
                  "the new head is woken once, nobody else is");
        check(gone.who->woken == 0, "whoever leaves is awake");
        gone_.push_back(gone);
    }

    void leave_as_a_stranger() {
        auto const who = gone_.empty() ? member() : gone_[next_.below(gone_.size())];
        forget_wakes();
        base::wake_list woken;
        queue_.leave(who.waiter, woken);
        check(woken.empty(), "whoever is not in the queue changes nothing by leaving it");
    }

    void wake_all() {
        forget_wakes();
        base::wake_list woken;
        queue_.wake_all(woken);
        woken.wake_all();
        for (auto const& one : inside_) check(one.who->woken == 1, "everybody is woken once");
        for (auto const& one : gone_) check(one.who->woken == 0, "nobody who has left is woken");
    }

    void forget_wakes() {
        for (auto const& one : inside_) one.who->woken = 0;
        for (auto const& one : gone_) one.who->woken = 0;
    }

    void look() const {
        auto const* found = queue_.head().get();
        for (auto const& one : inside_) {
            check(found == one.waiter.get(), "it has those who came and did not leave, in this order");
            found = found->next.get();
        }
        check(found == nullptr, "and nobody else");
        check(queue_.has_second() == (inside_.size() > 1), "somebody is behind the head where there are two");
        check(queue_.empty() == inside_.empty(), "it is empty when nobody is in it");
        if (inside_.empty()) return;
        check(queue_.head() == inside_.front().waiter, "the head is who came first");
        for (auto const& one : inside_)
            check(one.waiter->at_head.load() == (&one == &inside_.front()),
                  "the head has been told so, and nobody else");
    }

    decisions next_;
    locking::wait_queue queue_;
    std::vector<member> inside_; ///< in the order in which they came
    std::vector<member> gone_;
};

} // namespace
} // namespace redlatch::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    redlatch::fuzz::queue_of_waiters(redlatch::fuzz::decisions(data, size)).run();
    return 0;
}
