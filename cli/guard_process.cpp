// The guard's own process: system calls only, no memory is asked for, no destructor matters.
#include "guard.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace redlatch::cli {
namespace {

instant now() noexcept {
    timespec time{};
    ::clock_gettime(CLOCK_BOOTTIME, &time);
    return instant(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

class watch {
public:
    watch(int pipe, loss_policy const& policy, schedule due) noexcept
        : pipe_(pipe), timer_(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)), policy_(policy),
          due_(due) {}

    int run() noexcept {
        while (!finished_) {
            arm();
            pollfd entries[] = {
                {orphaned_ ? -1 : pipe_, POLLIN, 0}, {timer_, POLLIN, 0}, {orphaned_ ? command_ : -1, POLLIN, 0}};
            // Without a timer (no descriptor was left) looking each 10 ms has to do.
            if (::poll(entries, 3, timer_ >= 0 ? -1 : 10) < 0) continue;
            // The clock is read before the pipe, and the pipe emptied before anything is done: so whoever wrote `done` while
            // nothing was due yet can be certain that nothing will be done (guard::finish relies on it).
            auto const present = now();
            while (!orphaned_ && !finished_ && receive()) {
            }
            if (entries[2].revents != 0 && !finished_) end_rest();
            act(present);
        }
        return acted_ ? 1 : 0;
    }

private:
    bool command_runs() const noexcept {
        if (group_ == 0) return false;
        if (command_ < 0) return ::kill(-group_, 0) == 0 || errno == EPERM;
        pollfd entry{command_, POLLIN, 0};
        return ::poll(&entry, 1, 0) == 0;
    }

    void send(int number) noexcept {
        if (::kill(-group_, number) == 0) acted_ = true; // it may belong to another user
    }

    /// One message; false: there is none now.
    bool receive() noexcept {
        pollfd entry{pipe_, POLLIN, 0};
        if (::poll(&entry, 1, 0) != 1) return false; // rather than a read that fails: errno may be the tool's, too
        guard_message message;
        auto const got = ::read(pipe_, &message, sizeof message);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
        if (got == sizeof message)
            obey(message);
        else
            tool_has_died();
        return true;
    }

    void obey(guard_message const& message) noexcept {
        switch (message.what) {
        case guard_message::kind::command_started:
            group_ = message.group;
            command_ = static_cast<int>(::syscall(SYS_pidfd_open, group_, 0));
            return;
        case guard_message::kind::deadlines:
            due_ = {instant(lease_clock::duration(message.term_at)), instant(lease_clock::duration(message.kill_at))};
            return;
        case guard_message::kind::done: finished_ = true; return;
        }
    }

    void tool_has_died() noexcept {
        orphaned_ = true;
        if (group_ == 0) {
            finished_ = true;
            return;
        }
        if (!command_runs()) return end_rest(); // of the kernel's signal (child_setup::death_signal), just before
        auto const present = now();
        if (policy_.action != on_lost::terminate)
            due_ = {never, present};
        else if (!term_sent_)
            due_ = {present, std::min(due_.kill, present + policy_.grace)};
    }

    /// The command has ended after the tool, in its grace or at once; what is left of its group goes with it.
    void end_rest() noexcept {
        send(SIGKILL);
        finished_ = true;
    }

    void act(instant present) noexcept {
        if (finished_ || kill_sent_) return;
        bool const begun = term_sent_;
        if (present >= due_.kill && (begun || command_runs())) {
            send(SIGKILL);
            kill_sent_ = true;
            finished_ = orphaned_; // otherwise the tool will say when the command was reaped
        } else if (present >= due_.term && !begun && command_runs()) {
            send(SIGTERM);
            send(SIGCONT); // a command that is stopped could not obey
            term_sent_ = true;
        }
    }

    void arm() const noexcept {
        auto next = kill_sent_ ? never : due_.kill;
        if (!term_sent_ && !kill_sent_) next = std::min(next, due_.term);
        itimerspec setting{};
        if (next != never) {
            auto at = std::max<std::int64_t>(next.time_since_epoch().count(), 1);
            // Past, and nothing was to be done: the command has ended, or has not begun. Look again soon.
            if (next <= now()) at = (now() + std::chrono::milliseconds(5)).time_since_epoch().count();
            setting.it_value.tv_sec = static_cast<time_t>(at / 1'000'000'000);
            setting.it_value.tv_nsec = static_cast<long>(at % 1'000'000'000);
        }
        ::timerfd_settime(timer_, TFD_TIMER_ABSTIME, &setting, nullptr);
    }

    int pipe_;
    int timer_;
    int command_ = -1; ///< a pidfd
    pid_t group_ = 0;
    loss_policy policy_;
    schedule due_;
    bool orphaned_ = false;
    bool term_sent_ = false;
    bool kill_sent_ = false;
    bool acted_ = false;
    bool finished_ = false;
};

} // namespace

int watch_over_command(int pipe, loss_policy const& policy, schedule due) noexcept {
    return watch(pipe, policy, due).run();
}

} // namespace redlatch::cli
