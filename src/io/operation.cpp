#include "io/operation.hpp"

#include "io/insist.hpp"

#include <utility>

namespace redlatch::io {

void run_blocking(operation& operation, std::stop_token const& stop) {
    auto& me = parker::of_this_thread();
    operation.set_waker(me.as_waker());
    // Its destructor waits for a running callback, with no mutex of ours held.
    auto const cancel = [&operation] { operation.cancel(); };
    std::optional<std::stop_callback<decltype(cancel)>> on_stop;
    if (stop.stop_possible()) on_stop.emplace(stop, cancel);
    while (!operation.step()) {
        auto const at = operation.at();
        if (at.where != nullptr)
            at.where->wait(
                me, [&] { return operation.ready(); }, at.until);
        else if (!operation.ready() && lease_clock::now() < at.until)
            me.park(at.until);
    }
}

void async_task::prepare(std::stop_token const& stop) {
    what().be_driven_by(weak_from_this());
    if (stop.stop_possible()) on_stop_.emplace(stop, on_stop{this});
}

void async_task::drop() noexcept {
    ended_ = true;
    on_stop_.reset();
}

void async_task::cancel() noexcept {
    cancelled_.store(true, std::memory_order_release); // pairs with run(), which the wake brings about
    wake();
}

void async_task::wake() noexcept {
    if (!posted_.exchange(true)) run_again();
}

void async_task::run_again() {
    if (auto const self = weak_from_this().lock()) insist([&] { loop_->post(self); });
}

void async_task::run() {
    posted_.exchange(false); // reads what wake() wrote: what was done before that wake is seen from here on
    if (ended_) return;
    if (alarm_ != 0) loop_->cancel(std::exchange(alarm_, 0));
    auto& mine = what();
    if (cancelled_.load(std::memory_order_acquire)) mine.cancel();
    for (;;) {
        if (mine.step()) return end();
        auto const at = mine.at();
        bool ready = false;
        if (at.where != nullptr)
            at.where->with([&] { ready = mine.ready(); });
        else
            ready = mine.ready();
        if (ready) continue;
        until_ = at.until;
        if (until_ == base::never) return;
        auto const now = lease_clock::now();
        if (now >= until_) continue;
        if (needs_alarm(now)) set_alarm();
        return;
    }
}

bool async_task::needs_alarm(base::instant now) const noexcept {
    return alarm_ == 0 && !ended_ && until_ != base::never && until_ - now < 2 * look;
}

void async_task::set_alarm() {
    alarm_ = loop_->at(until_, [self = weak_from_this()] {
        if (auto const alive = self.lock()) alive->run();
    });
}

void async_task::end() noexcept {
    ended_ = true;
    if (alarm_ != 0) loop_->cancel(std::exchange(alarm_, 0));
    on_stop_.reset();
    finished();
}

void task_list::add(std::shared_ptr<async_task> const& task) noexcept {
    task->listed_ = task;
    task->before_ = last_;
    (last_ != nullptr ? last_->behind_ : first_) = task.get();
    last_ = task.get();
}

std::shared_ptr<async_task> task_list::remove(async_task& task) noexcept {
    if (!task.listed_) return nullptr;
    (task.before_ != nullptr ? task.before_->behind_ : first_) = task.behind_;
    (task.behind_ != nullptr ? task.behind_->before_ : last_) = task.before_;
    task.before_ = task.behind_ = nullptr;
    return std::move(task.listed_);
}

std::vector<std::shared_ptr<async_task>> task_list::all() const {
    std::vector<std::shared_ptr<async_task>> found;
    for (auto* one = first_; one != nullptr; one = one->behind_) found.push_back(one->listed_);
    return found;
}

std::vector<std::shared_ptr<async_task>> task_list::near_their_end(base::instant now) const {
    std::vector<std::shared_ptr<async_task>> found;
    for (auto* one = first_; one != nullptr; one = one->behind_)
        if (one->needs_alarm(now)) found.push_back(one->listed_);
    return found;
}

} // namespace redlatch::io
