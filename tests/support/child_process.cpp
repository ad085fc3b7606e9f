#include "support/child_process.hpp"

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <fcntl.h>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

extern char** environ; // NOLINT

namespace redlatch::test {
namespace {

// The thread that forks. It is never joined: ending it would end the children.
class forker {
public:
    static forker& instance() {
        static auto* const only = new forker; // NOLINT: lives as long as the process
        return *only;
    }

    pid_t run(std::function<pid_t()> task) {
        std::packaged_task<pid_t()> job(std::move(task));
        auto result = job.get_future();
        {
            std::lock_guard const guard(mutex_);
            jobs_.push_back(std::move(job));
        }
        changed_.notify_one();
        return result.get();
    }

private:
    forker() {
        std::thread([this] {
            for (;;) {
                std::unique_lock guard(mutex_);
                changed_.wait(guard, [this] { return !jobs_.empty(); });
                auto job = std::move(jobs_.front());
                jobs_.pop_front();
                guard.unlock();
                job();
            }
        }).detach();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::packaged_task<pid_t()>> jobs_;
};

struct pipe_pair {
    descriptor reader;
    descriptor writer;
};

pipe_pair make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
    return {descriptor{ends[0]}, descriptor{ends[1]}};
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (auto& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

std::string read_available(int fd, std::chrono::milliseconds limit) {
    pollfd entry{fd, POLLIN, 0};
    if (::poll(&entry, 1, static_cast<int>(limit.count())) <= 0) return {};
    char bytes[4096];
    auto const got = ::read(fd, bytes, sizeof bytes);
    return got > 0 ? std::string(bytes, static_cast<std::size_t>(got)) : std::string();
}

} // namespace

child_process::child_process(child_options const& options) {
    pipe_pair in = make_pipe();
    pipe_pair out;
    pipe_pair err;
    descriptor file;
    if (options.output_file.empty()) {
        out = make_pipe();
        err = make_pipe();
    } else {
        file = descriptor{::open(options.output_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)};
        if (!file) throw std::system_error(errno, std::generic_category(), options.output_file.string());
    }
    auto arguments = options.arguments;
    auto environment = options.environment;
    for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
    auto argv = pointers(arguments);
    auto envp = pointers(environment);
    int const out_fd = file ? file.get() : out.writer.get();
    int const err_fd = file ? file.get() : err.writer.get();
    pid_t const parent = ::getpid();

    pid_ = forker::instance().run([&]() -> pid_t {
        pid_t const child = ::fork();
        if (child != 0) return child;
        // Only async-signal-safe calls from here on.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(127);
        if (options.own_group) ::setpgid(0, 0);
        if (options.adopts_orphans) ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        sigset_t none;
        ::sigemptyset(&none);
        ::sigprocmask(SIG_SETMASK, &none, nullptr);
        ::dup2(in.reader.get(), 0);
        ::dup2(out_fd, 1);
        ::dup2(err_fd, 2);
        ::execvpe(argv[0], argv.data(), envp.data());
        ::_exit(127);
    });
    if (pid_ < 0) throw std::runtime_error("cannot fork for " + options.arguments.front());
    input_ = std::move(in.writer);
    output_ = std::move(out.reader);
    error_ = std::move(err.reader);
}

child_process::~child_process() {
    if (status_) return;
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

void child_process::signal(int number) const {
    if (!status_) ::kill(pid_, number);
}

std::optional<int> child_process::wait(std::chrono::milliseconds limit) {
    wait_until(
        [this] {
            if (status_) return true;
            int status = 0;
            if (::waitpid(pid_, &status, WNOHANG) != pid_) return false;
            status_ = status;
            return true;
        },
        limit);
    return status_;
}

void child_process::write(std::string const& text) {
    for (std::size_t done = 0; done < text.size();) {
        auto const put = ::write(input_.get(), text.data() + done, text.size() - done);
        if (put < 0) throw std::system_error(errno, std::generic_category(), "write to child");
        done += static_cast<std::size_t>(put);
    }
}

std::optional<std::string> child_process::read_line(std::chrono::milliseconds limit) {
    auto const end = std::chrono::steady_clock::now() + limit;
    for (;;) {
        if (auto const at = output_buffer_.find('\n'); at != std::string::npos) {
            std::string line = output_buffer_.substr(0, at);
            output_buffer_.erase(0, at + 1);
            return line;
        }
        auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (left.count() <= 0) return std::nullopt;
        auto const more = read_available(output_.get(), left);
        if (more.empty()) return std::nullopt;
        output_buffer_ += more;
    }
}

std::string child_process::error_text() {
    if (error_) {
        for (auto more = read_available(error_.get(), std::chrono::milliseconds(0)); !more.empty();
             more = read_available(error_.get(), std::chrono::milliseconds(0)))
            error_buffer_ += more;
    }
    return error_buffer_;
}

} // namespace redlatch::test
