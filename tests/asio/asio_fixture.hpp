// What the tests of redlatch/asio.hpp share: a context with threads, clients of both kinds, and "does it end?".
#pragma once

#include "integration/fixture.hpp"

#include <redlatch/asio.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <future>
#include <optional>
#include <thread>
#include <vector>

// clang 14 with -fsanitize=undefined fails on coroutine templates.
#if !defined(__clang__) || __clang_major__ > 14
#define REDLATCH_TEST_COROUTINES 1
#endif

namespace redlatch::test {

namespace asio = boost::asio;
using asio_error = boost::system::error_code;

inline bool equals(asio_error const& code, errc which) {
    return code == make_error_code(which);
}

/// A context that runs on threads of its own until it is destroyed.
class running_context {
public:
    explicit running_context(int threads = 1) {
        for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { context.run(); });
    }
    ~running_context() { finish(); }
    /// Everything that was begun ends.
    void finish() {
        work_.reset();
        threads_.clear();
    }

    asio::io_context context;

private:
    std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work_{context.get_executor()};
    std::vector<std::jthread> threads_;
};

/// Who runs the client.
enum class run_by { own_thread, context };

inline std::string name_of(run_by which) {
    return which == run_by::context ? "on_a_context" : "on_its_own_thread";
}

/// Few of these tests are about a server that hangs; under the thread sanitizer, ten at a time, an answer may take a second.
inline config unhurried(std::string address) {
    auto settings = quick(std::move(address));
    settings.timeout = 5s;
    return settings;
}

/// Each test for both kinds of client.
class asio_test : public with_server, public ::testing::WithParamInterface<run_by> {
protected:
    running_context loop;
    client user = GetParam() == run_by::context ? make_client(loop.context, unhurried(server.uri()))
                                                : client(unhurried(server.uri()));
    client other{unhurried(server.uri())};
    reentrant_lock lock = user.get_lock(name);
    reentrant_lock theirs = other.get_lock(name);
    bool closed = false; ///< by the test

    void TearDown() override {
        if (!closed) expect_idle(user);
        other.close();
        user.close();
        loop.finish();
        expect_clean(server);
    }
};

#define REDLATCH_FOR_BOTH(suite)                                                                                       \
    INSTANTIATE_TEST_SUITE_P(, suite, ::testing::Values(run_by::own_thread, run_by::context),                          \
                             [](auto const& which) { return name_of(which.param); })

} // namespace redlatch::test
