// A process of its own that tells this one, line by line, what happens to it.
#pragma once

#include "support/descriptor.hpp"

#include <redlatch/error.hpp>

#include <array>
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace redlatch::test {

/// Begun by fork(): only while this process has one thread, since a mutex that another one holds stays locked in the child.
class telling_process {
public:
    using teller = std::function<void(std::string_view line)>;

    /// `act` runs there. What it throws is told; failures of the test are not, but that there were none is: is_done().
    explicit telling_process(std::function<void(teller const&)> const& act) {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe");
        told_to_us_ = descriptor(ends[0]);
        descriptor const told(ends[1]);
        child_ = ::fork();
        if (child_ < 0) throw std::runtime_error("fork");
        if (child_ == 0) ::_exit(run(act, told.get()));
    }
    telling_process(telling_process const&) = delete;
    telling_process& operator=(telling_process const&) = delete;
    ~telling_process() {
        if (child_ == 0) return;
        ::kill(child_, SIGKILL); // what it goes on with, or waits for in vain, is not asked
        ::waitpid(child_, nullptr, 0);
    }

    /// Waits until it has told so much that this holds, or until it ends. True: it holds.
    bool tells(std::function<bool(std::string const& all)> const& enough) {
        std::array<char, 4096> some{};
        while (!enough(told_)) {
            auto const count = ::read(told_to_us_.get(), some.data(), some.size());
            if (count <= 0) return false;
            told_.append(some.data(), static_cast<std::size_t>(count));
        }
        return true;
    }
    std::string const& told() const noexcept { return told_; }
    bool is_done() const { return told_.ends_with(done); }
    /// It has ended otherwise than by having done everything, or having thrown an error: as when it crashes.
    bool has_crashed() {
        int status = 0;
        if (::waitpid(child_, &status, WNOHANG) == 0) return false;
        child_ = 0;
        return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }

private:
    static constexpr char const* done = "everything was done\n";

    static int run(std::function<void(teller const&)> const& act, int out) {
        auto const tell = [out](std::string_view line) {
            auto const text = std::string(line) + "\n";
            (void)!::write(out, text.data(), text.size());
        };
        testing::TestPartResultArray failures;
        testing::ScopedFakeTestPartResultReporter const reporter(
            testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &failures);
        try {
            act(tell);
        } catch (error const& problem) {
            tell(problem.what());
            return 0;
        }
        tell(failures.size() == 0 ? std::string_view("everything was done") : "something failed");
        return 0;
    }

    descriptor told_to_us_{};
    pid_t child_ = 0;
    std::string told_{};
};

} // namespace redlatch::test
