#include "io/notifier.hpp"

#include <csignal>
#include <pthread.h>

namespace redlatch::io {

notifier::~notifier() {
    stop();
}

bool notifier::on_thread() const noexcept {
    return thread_id_.load(std::memory_order_acquire) == std::this_thread::get_id(); // pairs with the store in post
}

bool notifier::post(task what) {
    {
        std::lock_guard guard(state_->mutex);
        if (state_->stopping) return false;
        state_->tasks.push_back(std::move(what));
        if (!thread_.joinable()) {
            sigset_t all;
            sigset_t before;
            sigfillset(&all);
            ::pthread_sigmask(SIG_SETMASK, &all, &before);
            thread_ = std::thread([state = state_] { run(state); });
            ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
            thread_id_.store(thread_.get_id(), std::memory_order_release); // pairs with on_thread
        }
    }
    state_->changed.notify_one();
    return true;
}

bool notifier::follow(task what) {
    std::lock_guard guard(state_->mutex);
    if (state_->stopping || (state_->tasks.empty() && !state_->running)) return false;
    state_->tasks.push_back(std::move(what)); // whoever runs those before it will come to it
    return true;
}

void notifier::post_always(task what) {
    if (!post(what)) std::thread(std::move(what)).detach();
}

void notifier::stop(wait how) noexcept {
    std::thread ending;
    {
        std::lock_guard guard(state_->mutex);
        state_->stopping = true;
        ending = std::move(thread_);
    }
    state_->changed.notify_one();
    if (!ending.joinable()) return;
    if (on_thread() || how == wait::no)
        ending.detach(); // it holds what it needs
    else
        ending.join();
}

void notifier::run(std::shared_ptr<shared_state> const& state) {
    ::pthread_setname_np(::pthread_self(), "redlatch-notify");
    for (;;) {
        task what;
        {
            std::unique_lock held(state->mutex);
            state->running = false;
            state->changed.wait(held, [&] { return state->stopping || !state->tasks.empty(); });
            if (state->tasks.empty()) return;
            what = std::move(state->tasks.front());
            state->tasks.pop_front();
            state->running = true;
        }
        what();
    }
}

} // namespace redlatch::io
