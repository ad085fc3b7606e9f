#include "io/reactor.hpp"

#include "io/log.hpp"
#include "io/parker.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <exception>
#include <iterator>
#include <limits>
#include <new>
#include <poll.h>
#include <pthread.h>
#include <string>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <system_error>
#include <utility>

namespace redlatch::io {
namespace {

constexpr std::uint64_t alarm_token = 0;
constexpr std::uint64_t bell_token = 1;
constexpr std::uint64_t sleep_token = 2;

int checked(int result, char const* action) {
    if (result < 0) throw std::system_error(errno, std::generic_category(), action);
    return result;
}

void add_permanently(int epoll, int fd, std::uint64_t token) {
    epoll_event event{EPOLLIN, {.u64 = token}};
    checked(::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
}

/// The kernel cancels such a timer, and makes it readable, when the wall clock jumps beside the clock that stands still during
/// a sleep: so also when the machine wakes up. Where it knows no such timers, nobody is told.
void watch_for_sleep(int timer) noexcept {
    itimerspec setting{};
    setting.it_value.tv_sec = std::numeric_limits<std::time_t>::max() / 2; // never by itself
    ::timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &setting, nullptr);
}

void drain(int fd) noexcept {
    std::uint64_t count = 0;
    while (::read(fd, &count, sizeof count) < 0 && errno == EINTR) {
    }
}

} // namespace

reactor::reactor(driver thread)
    : driver_(thread), epoll_(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      alarm_(checked(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create")),
      bell_(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")),
      sleep_watch_(checked(::timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create")) {
    add_permanently(epoll_.get(), alarm_.get(), alarm_token);
    add_permanently(epoll_.get(), bell_.get(), bell_token);
    watch_for_sleep(sleep_watch_.get());
    add_permanently(epoll_.get(), sleep_watch_.get(), sleep_token);
}

reactor::~reactor() {
    stop();
}

bool reactor::on_thread() const noexcept {
    return thread_id_.load(std::memory_order_relaxed) == std::this_thread::get_id();
}

bool reactor::gathers() const noexcept {
    return on_thread();
}

void reactor::start() {
    std::lock_guard guard(mutex_);
    start_thread();
}

void reactor::start_thread() {
    if (started_.load(std::memory_order_relaxed) || stopping_ || !has_own_thread()) return;
    // Signals belong to the program's own threads.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        thread_ = std::thread([this] { run(); });
    } catch (...) {
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
        throw;
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    started_.store(true, std::memory_order_release); // pairs with started()
}

/// False: not now. What is posted waits for the next attempt, which each post makes.
bool reactor::try_to_start() noexcept {
    try {
        start_thread();
        return true;
    } catch (std::exception const&) {
        return false;
    }
}

void reactor::start_if_overdue() noexcept {
    if (started() || !has_own_thread()) return;
    std::lock_guard guard(mutex_);
    if (!posted_.empty()) try_to_start();
}

void reactor::ring() noexcept {
    std::uint64_t const one = 1;
    while (::write(bell_.get(), &one, sizeof one) < 0 && errno == EINTR) {
    }
}

void reactor::stop() noexcept {
    {
        std::lock_guard guard(mutex_);
        stopping_ = true;
        if (has_own_thread() && !thread_.joinable()) return;
    }
    ring();
    if (!has_own_thread()) return;
    if (on_thread()) {
        thread_.detach(); // the last reference went on this very thread; it ends by itself
        return;
    }
    thread_.join();
}

void reactor::enqueue(posted job) {
    bool const own = on_thread();                              // this iteration comes to it
    if (own && !has_posted_.load(std::memory_order_acquire)) { // else it is behind what others have posted
        if (!stopping_.load(std::memory_order_relaxed)) own_.push_back(std::move(job));
        return;
    }
    bool runs = true;
    {
        std::lock_guard guard(mutex_);
        if (stopping_) return;
        posted_.push_back(std::move(job));
        has_posted_.store(true, std::memory_order_release); // pairs with the loads of whoever takes an iteration
        if (own) return;
        if (posted_.size() > 1 && (started() || !has_own_thread())) return; // the bell has been rung
        runs =
            try_to_start(); // still under the mutex: a stop that comes now finds a thread to end, and what was posted
    }
    if (!runs)
        log(log_level::error, "the I/O thread cannot be started; renewals wait for it; raise the limit of threads");
    ring();
}

void reactor::set_alarm(base::instant due_time) noexcept {
    constexpr std::int64_t second = 1'000'000'000;
    itimerspec setting{};
    if (due_time != base::never) {
        // Relative, although an absolute time would do: libfaketime shifts those by what it does to the wall clock.
        auto const ns = std::max<std::int64_t>((due_time - lease_clock::now()).count(), 1); // zero would disarm
        setting.it_value = {static_cast<std::time_t>(ns / second), static_cast<long>(ns % second)};
    }
    ::timerfd_settime(alarm_.get(), 0, &setting, nullptr);
}

reactor::timer reactor::at(base::instant due_time, task job) {
    std::lock_guard guard(mutex_);
    if (stopping_) return 0;
    auto const id = ++last_id_;
    auto const place = timers_.emplace(due_time, pending{id, std::move(job)});
    try {
        timer_index_.emplace(id, place);
    } catch (...) { // no memory
        timers_.erase(place);
        throw;
    }
    if (place == timers_.begin()) set_alarm(due_time);
    return id;
}

void reactor::cancel(timer number) noexcept {
    task dropped; // its destructor runs without the mutex
    std::lock_guard guard(mutex_);
    auto const found = timer_index_.find(number);
    if (found == timer_index_.end()) return;
    dropped = std::move(found->second->second.what);
    timers_.erase(found->second);
    timer_index_.erase(found);
}

std::uint64_t reactor::watch(std::shared_ptr<event_target> target) {
    std::lock_guard guard(mutex_);
    auto const token = ++last_id_;
    targets_.emplace(token, std::move(target));
    return token;
}

void reactor::unwatch(std::uint64_t token) noexcept {
    std::shared_ptr<event_target> dropped; // its destructor runs without the mutex
    std::lock_guard guard(mutex_);
    if (auto const found = targets_.find(token); found != targets_.end()) {
        dropped = std::move(found->second);
        targets_.erase(found);
    }
}

bool reactor::arm(int fd, std::uint32_t events, std::uint64_t token, bool first_time) noexcept {
    epoll_event event{events | EPOLLONESHOT, {.u64 = token}};
    return ::epoll_ctl(epoll_.get(), first_time ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event) == 0;
}

void reactor::disregard(int fd) noexcept {
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

/// What others have posted comes behind what is there; where there is no memory for that, it waits for the next time.
void reactor::take_from_others() noexcept {
    if (!has_posted_.load(std::memory_order_acquire)) return;
    std::lock_guard guard(mutex_);
    if (own_.empty()) {
        own_.swap(posted_);
    } else {
        try {
            own_.reserve(own_.size() + posted_.size());
        } catch (std::bad_alloc const&) {
            return;
        }
        std::move(posted_.begin(), posted_.end(), std::back_inserter(own_));
        posted_.clear();
    }
    has_posted_.store(false, std::memory_order_relaxed);
}

/// False: there was nothing.
bool reactor::run_posted() {
    take_from_others();
    if (own_.empty()) return false;
    running_.swap(own_);
    for (auto& one : running_) {
        if (one.who)
            one.who->run();
        else
            one.what();
        one = {};
    }
    running_.clear();
    return true;
}

void reactor::run_end_of_iteration() {
    for (std::size_t i = 0; i < at_end_.size(); ++i) { // one may add another
        auto const one = std::move(at_end_[i]);
        one->run();
    }
    at_end_.clear();
}

void reactor::run_timers() {
    drain(alarm_.get());
    for (;;) {
        task what;
        {
            std::lock_guard guard(mutex_);
            if (timers_.empty()) return;
            auto const first = timers_.begin();
            if (first->first > lease_clock::now()) {
                set_alarm(first->first);
                return;
            }
            what = std::move(first->second.what);
            timer_index_.erase(first->second.id);
            timers_.erase(first);
        }
        what();
    }
}

reactor::next reactor::iterate(int timeout) {
    constexpr int most_events = 64;
    std::array<epoll_event, most_events> events{};
    auto const count = ::epoll_wait(epoll_.get(), events.data(), most_events, timeout);
    for (int i = 0; i < count; ++i) {
        auto const& event = events[static_cast<std::size_t>(i)];
        if (event.data.u64 == alarm_token) {
            run_timers();
        } else if (event.data.u64 == bell_token) {
            drain(bell_.get());
        } else if (event.data.u64 == sleep_token) {
            drain(sleep_watch_.get());
            parker::wake_all_sleepers();
        } else {
            std::shared_ptr<event_target> target;
            {
                std::lock_guard guard(mutex_);
                if (auto const found = targets_.find(event.data.u64); found != targets_.end()) target = found->second;
            }
            if (target) target->on_event(event.events);
        }
    }
    // An end that begins the next operation posts it: that one need not wait for another look at the events.
    if (run_posted()) run_posted();
    run_end_of_iteration();
    bool const ends = stopping_.load(std::memory_order_acquire); // first: nothing is posted behind it
    if (!own_.empty() || has_posted_.load(std::memory_order_acquire)) return next::go_on;
    return ends ? next::end : next::wait;
}

void reactor::run() {
    thread_id_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    ::pthread_setname_np(::pthread_self(), "redlatch-io");
    for (auto then = next::wait; then != next::end;) then = iterate(then == next::go_on ? 0 : -1);
    thread_id_.store({}, std::memory_order_relaxed); // another thread may get it
}

void reactor::wait_for_work() const noexcept {
    pollfd one{epoll_.get(), POLLIN, 0};
    ::poll(&one, 1, -1); // interrupted: the caller looks again
}

bool reactor::run_ready() noexcept {
    if (on_thread()) return true; // a completion asks for the iteration that it is in
    while (in_iteration_.exchange(true, std::memory_order_acquire)) in_iteration_.wait(true, std::memory_order_relaxed);
    thread_id_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    auto const then = iterate(0);
    thread_id_.store({}, std::memory_order_relaxed);
    in_iteration_.store(
        false,
        std::memory_order_release); // pairs with the exchange: the iterations of all threads are one sequence
    in_iteration_.notify_one();
    if (then != next::wait) ring(); // at the end too: whoever else watches the descriptor is to see it
    return then != next::end;
}

} // namespace redlatch::io
