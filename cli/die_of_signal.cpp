#include "die_of_signal.hpp"

#include "exit_code.hpp"

#include <csignal>
#include <sys/prctl.h>
#include <unistd.h>

namespace redlatch::cli {

void die_of(int number) noexcept {
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); // RLIMIT_CORE would not keep a core dump from a program in core_pattern
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    ::sigaction(number, &usual, nullptr);
    sigset_t only;
    ::sigemptyset(&only);
    ::sigaddset(&only, number);
    ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
    ::raise(number);
    ::_exit(exit_code::by_signal + number);
}

} // namespace redlatch::cli
