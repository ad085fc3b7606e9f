// Forking a server off. Between fork and exec only async-signal-safe calls are made: the caller may have threads.
#include "base/error_text.hpp"
#include "embedded/server_process.hpp"
#include "io/unique_fd.hpp"
#include "io/uri_text.hpp"

#include <redlatch/error.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace redlatch::embedded {

namespace {

// The folder may be a memory file system, and the server lives for months.
constexpr ::rlim_t most_bytes_per_file = 64 * 1024;
constexpr int report_descriptor = 3;
constexpr int claim_descriptor = 4;
constexpr int first_foreign_descriptor = 5;

/// What the new process tells its starter: its id when it is about to be executed, or what it failed at. The text is a
/// literal, which has the same address in both.
struct report {
    ::pid_t process = 0;
    int error_number = 0;
    char const* step = "";
    bool claim_is_taken = false;
};

std::vector<std::string> server_arguments(std::filesystem::path const& program, std::filesystem::path const& folder) {
    return {program.string(),
            "--port",
            "0",
            "--unixsocket",
            (folder / "redis.sock").string(),
            "--unixsocketperm",
            "700",
            "--save",
            "",
            "--appendonly",
            "no",
            "--maxmemory",
            "128mb",
            "--maxmemory-policy",
            "noeviction",
            "--dir",
            folder.string(),
            "--pidfile",
            (folder / "redis.pid").string(),
            "--daemonize",
            "no",
            "--logfile",
            "",
            "--loglevel",
            "warning"};
}

void reset_signals() {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; ++number) ::sigaction(number, &action, nullptr);
    // A write beyond the limit on files shall fail, not kill.
    action.sa_handler = SIG_IGN;
    ::sigaction(SIGXFSZ, &action, nullptr);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void raise_to_hard_limit(__rlimit_resource resource) {
    ::rlimit limit{};
    if (::getrlimit(resource, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(resource, &limit);
}

void reset_limits() {
    ::rlimit const files{most_bytes_per_file, most_bytes_per_file};
    ::setrlimit(RLIMIT_FSIZE, &files);
    // Limits that the first user of the server happens to have must not end it for all.
    for (auto const what : {RLIMIT_CPU, RLIMIT_AS, RLIMIT_DATA, RLIMIT_NOFILE}) raise_to_hard_limit(what);
}

void close_from(int first) {
    if (::syscall(SYS_close_range, first, ~0U, 0) == 0) return;
    // Linux before 5.9.
    ::rlimit limit{};
    auto const most = ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 1024;
    for (auto number = static_cast<::rlim_t>(first); number < most; ++number) ::close(static_cast<int>(number));
}

/// Decimal digits into a buffer, as printf is not safe here.
std::size_t write_decimal(::pid_t number, std::array<char, 16>& buffer) {
    auto at = buffer.size();
    buffer[--at] = '\n';
    for (; number > 0; number /= 10) buffer[--at] = static_cast<char>('0' + number % 10);
    return at;
}

struct start_plan {
    char const* program;
    char const* folder;
    char* const* arguments;
    char* const* environment;
    claim_address const* claim;
    int report_pipe;
};

/// The last step, in the process that becomes the server. Does not return.
[[noreturn]] void become_server(start_plan const& plan) {
    report message{.process = ::getpid()};
    auto const give_up = [&](char const* step) {
        message.error_number = errno;
        message.step = step;
        [[maybe_unused]] auto const ignored = ::write(report_descriptor, &message, sizeof message);
        ::_exit(127);
    };
    // Above the standard ones first: the caller may have those closed, and the pipe among them.
    auto const high = ::fcntl(plan.report_pipe, F_DUPFD, first_foreign_descriptor);
    if (high < 0 || ::dup2(high, report_descriptor) < 0) ::_exit(127);
    ::fcntl(report_descriptor, F_SETFD, FD_CLOEXEC);
    reset_signals();
    ::umask(S_IRWXG | S_IRWXO);
    if (::chdir(plan.folder) != 0) give_up("its folder cannot be entered");
    if (!make_claim(*plan.claim, claim_descriptor)) {
        message.claim_is_taken = errno == EADDRINUSE;
        give_up("its claim, an abstract Unix socket, cannot be made");
    }
    // Only now: without the claim the socket may be that of another server, which is alive.
    if (::unlink("redis.sock") != 0 && errno != ENOENT) give_up("the old redis.sock cannot be removed");

    // The server records itself too, but later: nobody shall find neither socket nor record while it starts.
    std::array<char, 16> digits{};
    auto const start = write_decimal(message.process, digits);
    auto const record = ::open("redis.pid", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (record < 0 || ::write(record, &digits[start], digits.size() - start) < 0)
        give_up("redis.pid cannot be written");

    auto const nothing = ::open("/dev/null", O_RDONLY);
    auto const log = ::open("redis.log", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (nothing < 0 || log < 0) give_up("/dev/null or redis.log cannot be opened");
    if (::dup2(nothing, STDIN_FILENO) < 0 || ::dup2(log, STDOUT_FILENO) < 0 || ::dup2(log, STDERR_FILENO) < 0)
        give_up("dup2");
    close_from(first_foreign_descriptor);
    reset_limits();
    if (::write(report_descriptor, &message, sizeof message) < 0) ::_exit(127);
    ::execve(plan.program, plan.arguments, plan.environment);
    give_up("it cannot be executed");
    ::_exit(127);
}

/// In a child of the caller: a new session, and a grandchild in it that nobody has to reap and that can have no terminal.
[[noreturn]] void detach(start_plan const& plan) {
    ::setsid();
    auto const process =
        ::_Fork(); // without the handlers of pthread_atfork: they may wait for threads that are not here
    if (process == 0) become_server(plan);
    ::_exit(process < 0 ? errno : 0);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (auto& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

[[noreturn]] void fail(std::filesystem::path const& program, std::string const& reason, int error_number) {
    throw error(errc::disconnected, "the private server " + io::printable(program.string())
                                        + " cannot be started: " + reason + ": " + base::error_text(error_number));
}

bool read_report(int pipe, report& message) {
    for (;;) {
        auto const count = ::read(pipe, &message, sizeof message);
        if (count < 0 && errno == EINTR) continue;
        return count == static_cast<ssize_t>(sizeof message); // written at once, and shorter than PIPE_BUF
    }
}

} // namespace

std::optional<::pid_t> start_detached(std::filesystem::path const& program, std::filesystem::path const& folder,
                                      claim_address const& claim) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(program, "pipe", errno);
    io::unique_fd const reading(ends[0]);
    io::unique_fd writing(ends[1]);

    auto argument_texts = server_arguments(program, folder);
    std::vector<std::string> environment_texts{"PATH=/usr/bin:/bin", "LC_ALL=C"};
    auto const arguments = pointers(argument_texts);
    auto const environment = pointers(environment_texts);
    start_plan const plan{program.c_str(), folder.c_str(), arguments.data(), environment.data(), &claim, writing.get()};
    auto const child = ::fork();
    if (child < 0) fail(program, "fork", errno);
    if (child == 0) detach(plan);

    writing.reset();
    int status = 0;
    // A host that ignores SIGCHLD, or reaps everything itself, leaves us nothing to wait for; the pipe says the rest.
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    report message;
    if (!read_report(reading.get(), message)) fail(program, "fork", WIFEXITED(status) ? WEXITSTATUS(status) : EAGAIN);
    if (message.error_number == 0) {
        report second;
        if (!read_report(reading.get(), second)) return message.process; // closed by exec
        message = second;
    }
    if (message.claim_is_taken) return std::nullopt;
    fail(program, message.step, message.error_number);
}

} // namespace redlatch::embedded
