#include "io/notifier.hpp"

#include "io/log.hpp"

#include <csignal>
#include <exception>
#include <pthread.h>
#include <system_error>

namespace redlatch::io {

notifier::~notifier() {
    stop();
}

bool notifier::on_thread() const noexcept {
    return state_->thread_id.load(std::memory_order_relaxed) == std::this_thread::get_id();
}

void notifier::start() {
    std::lock_guard guard(state_->mutex);
    if (!state_->stopping && !start_thread())
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                                "the thread that calls handlers cannot be started; raise the limit of threads");
}

bool notifier::post(task job) {
    bool runs = false;
    {
        std::lock_guard guard(state_->mutex);
        if (state_->stopping) return false;
        state_->tasks.push_back(std::move(job));
        runs = start_thread();
    }
    if (!runs)
        log(log_level::error,
            "the notifier thread cannot be started; what it has to tell waits; raise the limit of threads");
    state_->changed.notify_one();
    return true;
}

/// With the mutex. What it throws is not for whoever has something to tell: it is queued.
bool notifier::start_thread() noexcept {
    if (thread_.joinable()) return true;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        thread_ = std::thread([state = state_] { run(state); });
    } catch (std::exception const&) { // the caller sees it
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread_.joinable();
}

bool notifier::can_run() noexcept {
    std::lock_guard guard(state_->mutex);
    return state_->stopping || start_thread();
}

bool notifier::waits_for_its_thread() noexcept {
    std::lock_guard guard(state_->mutex);
    return !state_->stopping && !state_->tasks.empty() && !start_thread();
}

bool notifier::follow(task job) {
    std::lock_guard guard(state_->mutex);
    if (state_->stopping || (state_->tasks.empty() && !state_->running)) return false;
    state_->tasks.push_back(std::move(job)); // whoever runs those before it will come to it
    return true;
}

void notifier::post_always(task job) {
    if (post(job)) return;
    try {
        std::thread(job).detach();
    } catch (std::exception const&) { // better here than never
        job();
    }
}

void notifier::stop(wait span) noexcept {
    std::thread ending;
    {
        std::lock_guard guard(state_->mutex);
        state_->stopping = true;
        ending = std::move(thread_);
    }
    state_->changed.notify_one();
    if (!ending.joinable()) return run_what_is_left();
    if (on_thread() || span == wait::no)
        ending.detach(); // it holds what it needs
    else
        ending.join();
}

/// Its thread could never be started.
void notifier::run_what_is_left() noexcept {
    std::deque<task> left;
    {
        std::lock_guard guard(state_->mutex);
        left.swap(state_->tasks);
    }
    if (left.empty()) return;
    state_->thread_id.store(std::this_thread::get_id(), std::memory_order_relaxed);
    for (auto const& one : left) one();
    state_->thread_id.store({}, std::memory_order_relaxed);
}

void notifier::run(std::shared_ptr<shared_state> const& state) {
    ::pthread_setname_np(::pthread_self(), "redlatch-notify");
    state->thread_id.store(std::this_thread::get_id(), std::memory_order_relaxed);
    for (;;) {
        task what;
        {
            std::unique_lock held(state->mutex);
            state->running = false;
            state->changed.wait(held, [&] { return state->stopping || !state->tasks.empty(); });
            if (state->tasks.empty()) break;
            what = std::move(state->tasks.front());
            state->tasks.pop_front();
            state->running = true;
        }
        what();
    }
    state->thread_id.store({}, std::memory_order_relaxed); // another thread may get it
}

} // namespace redlatch::io
