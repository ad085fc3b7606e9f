#include "measure/spawn.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace redlatch::bench {

namespace {

std::vector<char*> pointers(std::vector<std::string>& arguments) {
    std::vector<char*> result;
    for (auto& argument : arguments) result.push_back(argument.data());
    result.push_back(nullptr);
    return result;
}

int wait_for(pid_t process) {
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace

int run_command(std::vector<std::string> arguments, std::string const& log) {
    auto const argv = pointers(arguments);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, 1, log.empty() ? "/dev/null" : log.c_str(),
                                       O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (!log.empty()) ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child = -1;
    int const problem = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), ::environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (problem != 0) throw std::system_error(problem, std::generic_category(), arguments.front());
    return wait_for(child);
}

background_program::background_program(std::vector<std::string> arguments, standard_streams streams) {
    auto const argv = pointers(arguments);
    int failure[2];
    if (::pipe2(failure, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        ::setpgid(0, 0);
        int const nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
        ::dup2(streams.input >= 0 ? streams.input : nothing, 0);
        ::dup2(streams.output >= 0 ? streams.output : nothing, 1);
        if (streams.errors >= 0) ::dup2(streams.errors, 2);
        ::execvp(argv[0], argv.data());
        int const problem = errno;
        [[maybe_unused]] auto const told = ::write(failure[1], &problem, sizeof problem);
        ::_exit(127);
    }
    ::close(failure[1]);
    int problem = pid_ < 0 ? errno : 0;
    if (pid_ > 0 && ::read(failure[0], &problem, sizeof problem) > 0) wait_for(pid_);
    ::close(failure[0]);
    if (problem != 0) throw std::system_error(problem, std::generic_category(), arguments.front());
}

background_program::~background_program() {
    // With what it has started itself: it is a group of its own.
    ::kill(-pid_, SIGTERM);
    wait_for(pid_);
}

} // namespace redlatch::bench
