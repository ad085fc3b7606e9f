// An embedded server in a folder of its own, and other programs of the user, which are forks of this one.
#pragma once

#include "embedded/exchange.hpp"
#include "support/temporary_folder.hpp"
#include "support/wait_until.hpp"

#include <redlatch/embedded_server.hpp>
#include <redlatch/error.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace redlatch::test {

/// Another process of this user. Its exit status is what `work` returns, 99 if it throws.
class other_process {
public:
    explicit other_process(std::function<int()> const& work) {
        std::fflush(nullptr); // what is buffered here must not be written there, too
        process_ = ::fork();
        if (process_ != 0) return;
        int status = 99;
        try {
            status = work();
        } catch (std::exception const& problem) {
            std::fprintf(stderr, "%s\n", problem.what());
        }
        ::_exit(status);
    }
    other_process(other_process const&) = delete;
    other_process& operator=(other_process const&) = delete;
    ~other_process() {
        if (process_ > 0) status();
    }

    int status() {
        int result = 0;
        ::waitpid(std::exchange(process_, -1), &result, 0);
        return WIFEXITED(result) ? WEXITSTATUS(result) : -1;
    }

private:
    ::pid_t process_ = -1;
};

class embedded_server_test : public ::testing::Test {
protected:
    embedded_server_test() {
        ::setenv("REDLATCH_RUNTIME_DIR", folder.c_str(), 1);
        for (auto const* const chooser : {"REDLATCH_SERVER", "REDLATCH_CONFIG", "REDLATCH_REQUIRE_SERVER"})
            ::unsetenv(chooser);
    }

    ~embedded_server_test() override {
        try {
            embedded_server().stop(true);
        } catch (error const& problem) {
            ADD_FAILURE() << problem.what();
        }
        ::unsetenv("REDLATCH_RUNTIME_DIR");
    }

    embedded::exchange connection() const {
        auto result = embedded::exchange::connect(folder / "redis.sock", lease_clock::now() + patience);
        if (!result) throw std::runtime_error("no server");
        return *std::move(result);
    }

    static ::pid_t server_process() { return embedded_server().status().pid; }

    temporary_folder base;
    std::filesystem::path folder = base.path() / "runtime";
};

} // namespace redlatch::test
