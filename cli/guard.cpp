#include "guard.hpp"

#include "system_error.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace redlatch::cli {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool can_share_memory = false; // what they insert into the code wants to know on which thread it runs
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool can_share_memory = false;
#else
constexpr bool can_share_memory = true;
#endif
#else
constexpr bool can_share_memory = true;
#endif

/// What the new process needs to know, in memory that outlives the constructor.
struct orders {
    int pipe = -1;
    loss_policy policy{};
    schedule due{};
};

/// In the new process: give up everything but the pipe, which becomes descriptor 0.
int become_guard(void* given) noexcept {
    orders const mine = *static_cast<orders*>(given);
    ::setsid();
    ::prctl(PR_SET_NAME, "redlatch-guard");
    ::dup2(mine.pipe, STDIN_FILENO); // without O_CLOEXEC, which does not matter here
    if (::close_range(STDIN_FILENO + 1, ~0U, 0) != 0)
        for (int number = STDIN_FILENO + 1; number < 4096; ++number) ::close(number); // a kernel before 5.9
    [[maybe_unused]] auto const moved = ::chdir("/"); // or we would keep a file system busy
    return watch_over_command(STDIN_FILENO, mine.policy, mine.due);
}

/// Shares our memory, and even our errno: in the usual course of things no system call of the guard's fails.
pid_t start_with_shared_memory(orders const& given) noexcept {
    alignas(16) static char stack[32 * 1024];
    static constinit orders copy{};
    copy = given;
    return ::clone(&become_guard, stack + sizeof stack, CLONE_VM | SIGCHLD, &copy);
}

pid_t start_with_own_memory(orders given) noexcept {
    pid_t const pid = ::fork();
    if (pid == 0) ::_exit(become_guard(&given));
    return pid;
}

/// With more to run than there are cores a deadline could pass before the guard's turn comes. It mostly sleeps, so it takes no
/// time from others. Where it is not permitted (RLIMIT_RTPRIO) it waits as all do. By the tool, because a guard that shares its
/// memory shares its errno.
void run_before_others(pid_t guard) noexcept {
    sched_param lowest{};
    lowest.sched_priority = 1;
    ::sched_setscheduler(guard, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest);
}

} // namespace

guard::guard(loss_policy const& policy, schedule const& first, memory kind)
    : policy_(policy), kind_(can_share_memory ? kind : memory::own), told_(first) {
    start(first);
}

void guard::start(schedule const& first) {
    auto ends = pipe_ends::make(O_NONBLOCK); // a guard that was stopped by somebody must not block the tool
    orders const given{ends.reader.get(), policy_, first};
    // All signals are blocked in the guard, for good: who ends the tool by name must not end its guard.
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &before);
    pid_ = kind_ == memory::shared ? start_with_shared_memory(given) : start_with_own_memory(given);
    int const problem = errno;
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    if (pid_ < 0) {
        errno = problem;
        throw_errno("cannot start the guard process");
    }
    run_before_others(pid_);
    pipe_ = std::move(ends.writer);
}

void guard::harden(pid_t command) {
    if (kind_ == memory::own) return;
    guard lasting(policy_, told_, memory::own);
    lasting.send({guard_message::kind::command_started, command, 0, 0});
    std::swap(kind_, lasting.kind_);
    std::swap(pid_, lasting.pid_);
    std::swap(pipe_, lasting.pipe_);
    lasting.late_ = true; // there is time to wait for its end
    lasting.done();
    acted_ = lasting.finish() || acted_;
}

void guard::replace(pid_t command) {
    kind_ = memory::own; // there may be threads by now
    start(told_);
    send({guard_message::kind::command_started, command, 0, 0});
}

guard::~guard() {
    done();
    finish();
}

void guard::send(guard_message const& message) noexcept {
    // It fails when the guard was killed (has_died() tells), or was stopped for thousands of renewals.
    if (::write(pipe_.get(), &message, sizeof message) != sizeof message) late_ = true;
}

void guard::tell(schedule const& due) noexcept {
    if (due == told_) return;
    late_ = late_ || lease_clock::now() >= std::min(told_.term, told_.kill);
    told_ = due;
    send({guard_message::kind::deadlines, 0, due.term.time_since_epoch().count(), due.kill.time_since_epoch().count()});
}

void guard::done() noexcept {
    if (!pipe_) return;
    send({.what = guard_message::kind::done});
    late_ = late_ || lease_clock::now() >= std::min(told_.term, told_.kill);
    pipe_.close();
}

bool guard::finish() noexcept {
    int status = 0;
    // It does nothing more, so its turn to read that need not be waited for; nor does one that somebody has stopped read it.
    if (pid_ > 0 && !late_) ::kill(pid_, SIGKILL);
    while (pid_ > 0) {
        pid_t const ended = ::waitpid(pid_, &status, 0);
        if (ended < 0 && errno == EINTR) continue;
        if (ended == pid_) acted_ = WIFEXITED(status) && WEXITSTATUS(status) == 1;
        pid_ = -1;
    }
    return acted_;
}

bool guard::has_died() noexcept {
    int status = 0;
    if (pid_ <= 0 || ::waitpid(pid_, &status, WNOHANG) != pid_) return false;
    acted_ = WIFEXITED(status) && WEXITSTATUS(status) == 1;
    pid_ = -1;
    return true;
}

} // namespace redlatch::cli
