#include "signals.hpp"

#include "die_of_signal.hpp"
#include "system_error.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <initializer_list>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <utility>

namespace redlatch::cli {
namespace {

using namespace std::chrono_literals;

// Read by the handler, written before it is installed.
volatile sig_atomic_t terminal_signals_are_ignored = 0;

bool is_ignored(int number) noexcept {
    struct sigaction present {};
    ::sigaction(number, nullptr, &present);
    return present.sa_handler == SIG_IGN;
}

/// The kernel sends what is typed at a terminal; SI_USER and SI_QUEUE come from processes.
bool is_for_others(int number, int code, bool terminal_ignored) noexcept {
    return terminal_ignored && (number == SIGINT || number == SIGQUIT) && code == SI_KERNEL;
}

sigset_t set_of(std::initializer_list<int> numbers) noexcept {
    sigset_t set;
    ::sigemptyset(&set);
    for (int const number : numbers) ::sigaddset(&set, number);
    return set;
}

sigset_t ending_set(inherited_signals const& inherited) noexcept {
    auto set = set_of({SIGINT, SIGTERM, SIGQUIT, SIGUSR1, SIGUSR2});
    if (!inherited.hangup_ignored) ::sigaddset(&set, SIGHUP);
    return set;
}

sigset_t all_set(inherited_signals const& inherited) noexcept {
    auto set = ending_set(inherited);
    for (int const number : {SIGTSTP, SIGCONT, SIGWINCH, SIGCHLD}) ::sigaddset(&set, number);
    return set;
}

extern "C" void end_at_once(int number, siginfo_t* info, void*) {
    if (is_for_others(number, info->si_code, terminal_signals_are_ignored != 0)) return;
    die_of(number);
}

} // namespace

inherited_signals inherited_signals::look() noexcept {
    return {is_ignored(SIGHUP), is_ignored(SIGINT)};
}

void exit_on_signals(inherited_signals const& inherited) noexcept {
    terminal_signals_are_ignored = inherited.interrupt_ignored ? 1 : 0;
    struct sigaction action {};
    action.sa_sigaction = &end_at_once;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    ::sigfillset(&action.sa_mask);
    auto const set = ending_set(inherited);
    for (int const number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2})
        if (::sigismember(&set, number) == 1) ::sigaction(number, &action, nullptr);
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, nullptr);
    // Whoever started us may have ignored it; then the kernel would reap our children, and nobody could tell us how they ended.
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &usual, nullptr);
    ::sigprocmask(SIG_UNBLOCK, &set, nullptr); // whoever started us may have blocked them
}

void block_ending_signals(inherited_signals const& inherited) noexcept {
    auto const set = ending_set(inherited);
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
}

void block_all_signals(inherited_signals const& inherited) noexcept {
    auto set = all_set(inherited);
    ::sigaddset(&set, SIGTTOU);
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
}

std::optional<int> take_pending_ending_signal(inherited_signals const& inherited) noexcept {
    auto const set = ending_set(inherited);
    for (;;) {
        siginfo_t info{};
        timespec const no_time{};
        int const number = ::sigtimedwait(&set, &info, &no_time);
        if (number <= 0) return std::nullopt;
        if (!is_for_others(number, info.si_code, inherited.interrupt_ignored)) return number;
    }
}

signal_queue::signal_queue(scope watched, inherited_signals const& inherited)
    : terminal_ignored_(inherited.interrupt_ignored) {
    auto const wanted = watched == scope::ending ? ending_set(inherited) : all_set(inherited);
    descriptor_ = descriptor(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!descriptor_) throw_errno("cannot make a signalfd");
}

std::optional<int> signal_queue::next() const noexcept {
    for (;;) {
        signalfd_siginfo info;
        if (::read(descriptor_.get(), &info, sizeof info) != sizeof info) {
            if (errno == EINTR) continue;
            return std::nullopt;
        }
        auto const number = static_cast<int>(info.ssi_signo);
        if (!is_for_others(number, info.ssi_code, terminal_ignored_)) return number;
    }
}

wait_interrupter::wait_interrupter(inherited_signals const& inherited, std::stop_source const& stop,
                                   std::function<void()> look, duration pause)
    : queue_(signal_queue::scope::ending, inherited), stop_(stop), look_(std::move(look)), pause_(pause),
      thread_([this] { watch(); }) {}

wait_interrupter::~wait_interrupter() {
    finish();
}

int wait_interrupter::finish() noexcept {
    leave_.raise();
    if (thread_.joinable()) thread_.join();
    return signal_.load();
}

void wait_interrupter::watch() noexcept {
    auto pause = pause_;
    if (look_) timer_.fire_at(lease_clock::now() + pause);
    pollfd entries[] = {{leave_.get(), POLLIN, 0}, {queue_.get(), POLLIN, 0}, {timer_.get(), POLLIN, 0}};
    for (;;) {
        if (::poll(entries, 3, -1) < 0) continue;
        if (entries[0].revents != 0) return;
        if (auto const number = queue_.next()) {
            signal_.store(*number);
            stop_.request_stop();
            return;
        }
        if (entries[2].revents != 0) {
            timer_.clear();
            look_();
            pause = std::min<duration>(2 * pause, 1min);
            timer_.fire_at(lease_clock::now() + pause);
        }
    }
}

} // namespace redlatch::cli
