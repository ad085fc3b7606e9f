#include "guard.hpp"

#include "system_error.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace redlatch::cli {
namespace {

/// In the forked process: give up everything but the pipe, which becomes descriptor 0.
void become_guard(int pipe) noexcept {
    ::setsid();
    ::prctl(PR_SET_NAME, "redlatch-guard");
    ::dup2(pipe, STDIN_FILENO); // without O_CLOEXEC, which does not matter here
    if (::close_range(STDIN_FILENO + 1, ~0U, 0) != 0)
        for (int number = STDIN_FILENO + 1; number < 4096; ++number) ::close(number); // a kernel before 5.9
    [[maybe_unused]] auto const moved = ::chdir("/"); // or we would keep a file system busy
}

} // namespace

guard::guard(loss_policy const& policy, schedule const& first) : told_(first) {
    auto ends = pipe_ends::make(O_NONBLOCK); // a guard that was stopped by somebody must not block the tool
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all,
                  &before); // for good in the guard: who ends the tool by name must not end its guard
    pid_ = ::fork();
    int const problem = errno;
    if (pid_ != 0) ::sigprocmask(SIG_SETMASK, &before, nullptr);
    if (pid_ < 0) {
        errno = problem;
        throw_errno("cannot start the guard process");
    }
    if (pid_ == 0) {
        become_guard(ends.reader.get());
        ::_exit(watch_over_command(STDIN_FILENO, policy, first));
    }
    pipe_ = std::move(ends.writer);
}

guard::~guard() {
    done();
    finish();
}

void guard::send(guard_message const& message) noexcept {
    // It fails when the guard was killed (has_died() tells), or was stopped for thousands of renewals.
    if (pipe_) [[maybe_unused]]
        auto const put = ::write(pipe_.get(), &message, sizeof message);
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
    while (pid_ > 0) {
        pid_t const ended = ::waitpid(pid_, &status, late_ ? 0 : WNOHANG);
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
