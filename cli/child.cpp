#include "child.hpp"

#include "descriptor.hpp"
#include "exit_code.hpp"
#include "guard.hpp"
#include "process_group.hpp"
#include "system_error.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace redlatch::cli {
namespace {

/// In the new process, which shares our memory until it has become the command: system calls only. All signals are blocked.
[[noreturn]] void become_command(char* const* command, child_setup const& setup, int failure_pipe,
                                 pid_t tool) noexcept {
    pid_t const self = ::getpid();
    ::setpgid(0, 0);
    if (setup.death_signal != 0) ::prctl(PR_SET_PDEATHSIG, setup.death_signal, 0, 0, 0);
    if (::getppid() != tool) ::_exit(exit_code::internal); // killed before the kernel knew that we want to know
    if (setup.terminal >= 0) ::tcsetpgrp(setup.terminal, self);
    guard_message message{};
    message.what = guard_message::kind::command_started;
    message.group = self;
    [[maybe_unused]] auto put = ::write(setup.guard_pipe, &message, sizeof message);

    // If the guard has gone already, a SIGPIPE waits for us although it is ignored, because all are blocked. Ignoring it once
    // more takes it out of the queue.
    struct sigaction usual {};
    usual.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &usual, nullptr);
    usual.sa_handler = SIG_DFL;
    for (int number = 1; number < SIGRTMIN; ++number)
        if (number != SIGHUP || !setup.hangup_ignored) ::sigaction(number, &usual, nullptr);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);

    ::execvp(command[0], command);
    int const problem = errno;
    put = ::write(failure_pipe, &problem, sizeof problem);
    ::_exit(exit_code::not_found);
}

/// vfork: copying the page tables would cost as much as the lock. Nothing here may be changed by the new process but through
/// its own stack frame, hence a function of its own.
[[gnu::noinline]] pid_t start(char* const* command, child_setup const& setup, int failure_pipe) noexcept {
    pid_t const tool = ::getpid();
    pid_t const pid = ::vfork();
    if (pid == 0) become_command(command, setup, failure_pipe, tool);
    return pid;
}

} // namespace

child::child(child_setup const& setup) {
    std::vector<char*> words;
    for (auto const& word : *setup.command) words.push_back(const_cast<char*>(word.c_str())); // exec does not write
    words.push_back(nullptr);
    auto ends = pipe_ends::make();

    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &before);
    pid_ = start(words.data(), setup, ends.writer.get());
    int const problem = errno;
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    if (pid_ < 0) {
        errno = problem;
        throw_errno("cannot start a process");
    }
    ends.writer.close();
    int failure = 0;
    while (::read(ends.reader.get(), &failure, sizeof failure) < 0 && errno == EINTR) {
    }
    failure_ = failure;
}

int child::signal(int number) noexcept {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD)
        return ESRCH;
    sent_ |= std::uint64_t{1} << number;
    return ::kill(-pid_, number) == 0 ? 0 : errno;
}

std::optional<int> child::take_stop() const noexcept {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WSTOPPED | WNOHANG) != 0 || info.si_pid == 0)
        return std::nullopt;
    return info.si_status;
}

bool child::has_ended() const noexcept {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) return errno == ECHILD;
    return info.si_pid != 0;
}

bool child::group_has_others() const noexcept {
    return others_live_in_group(pid_);
}

command_end child::wait() const noexcept {
    siginfo_t info{};
    while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) != 0)
        if (errno != EINTR) return {exit_code::internal, 0};
    if (info.si_code == CLD_EXITED) return {info.si_status, 0};
    return {exit_code::by_signal + info.si_status, info.si_status};
}

int child::reap() noexcept {
    auto const end = wait();
    ::waitpid(pid_, nullptr, 0); // it has ended: this does not wait
    return end.status;
}

} // namespace redlatch::cli
