#include "io/operation.hpp"

#include <optional>
#include <utility>

namespace redlatch::io {

void run_blocking(operation& what, std::stop_token const& stop) {
    auto& me = parker::of_this_thread();
    what.set_waker(me.as_waker(), true);
    // Its destructor waits for a running callback, with no mutex of ours held.
    std::optional<std::stop_callback<std::function<void()>>> on_stop;
    if (stop.stop_possible()) on_stop.emplace(stop, [&what] { what.cancel(); });
    while (!what.step()) {
        auto const at = what.at();
        if (at.where != nullptr)
            at.where->wait(
                me, [&] { return what.ready(); }, at.until);
        else if (!what.ready() && lease_clock::now() < at.until)
            me.park(at.until);
    }
}

async_task::async_task(std::shared_ptr<reactor> loop, std::shared_ptr<operation> what, std::function<void()> finished)
    : loop_(std::move(loop)), what_(std::move(what)), finished_(std::move(finished)) {}

void async_task::prepare(std::stop_token const& stop) {
    what_->set_waker(shared_from_this(), false);
    if (stop.stop_possible()) on_stop_.emplace(stop, [what = what_] { what->cancel(); });
}

void async_task::drop() {
    on_stop_.reset();
    finished_ = nullptr; // it may hold the operation
    what_.reset();       // it holds a waker, and so this task
}

void async_task::wake() noexcept {
    if (!posted_.exchange(true)) run_again();
}

void async_task::run_again() {
    loop_->post([self = shared_from_this()] { self->run(); });
}

void async_task::run() {
    posted_.store(false);
    if (!what_) return;
    loop_->cancel(std::exchange(alarm_, 0));
    for (;;) {
        if (what_->step()) return end();
        auto const at = what_->at();
        bool ready = false;
        if (at.where != nullptr)
            at.where->with([&] { ready = what_->ready(); });
        else
            ready = what_->ready();
        if (ready || lease_clock::now() >= at.until) continue;
        if (at.until != base::never)
            alarm_ = loop_->at(at.until, [self = weak_from_this()] {
                if (auto const alive = self.lock()) alive->run();
            });
        return;
    }
}

void async_task::end() {
    on_stop_.reset();
    auto const finished = std::exchange(finished_, nullptr);
    finished();
    what_.reset(); // it holds a waker, and so this task
}

} // namespace redlatch::io
