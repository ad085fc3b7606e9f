// What the integration tests share: a server each, a client with short patience, and the question "is anything left behind?".
#pragma once

#include "support/byte_proxy.hpp"
#include "support/lock_helpers.hpp"
#include "support/monitor.hpp"
#include "support/redis_server.hpp"
#include "support/short_wait.hpp"
#include "support/variant.hpp"
#include "support/wait_until.hpp"

#include <redlatch/redlatch.hpp>

#include <algorithm>
#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace redlatch {

inline void PrintTo(errc code, std::ostream* out) {
    *out << make_error_code(code).message();
}

inline void PrintTo(hold_status status, std::ostream* out) {
    constexpr char const* names[] = {"none", "held", "suspect", "lost", "released"};
    *out << names[static_cast<std::size_t>(status)];
}

} // namespace redlatch

namespace redlatch::test {

using namespace std::chrono_literals;
using test_clock = std::chrono::steady_clock;

inline std::chrono::milliseconds since(test_clock::time_point start) {
    return std::chrono::ceil<std::chrono::milliseconds>(test_clock::now() - start);
}

/// Whether a lock has been renewed since then, also by another server's word. What the questions take never makes it look so.
class renewal_watch {
public:
    renewal_watch(redis_server const& server, std::string name) : name_(std::move(name)) {
        std::chrono::milliseconds const left(pttl(server, name_));
        expires_ = test_clock::now() + left;
    }
    bool is_renewed_on(redis_server const& server) const {
        auto const asked = test_clock::now();
        return asked + std::chrono::milliseconds(pttl(server, name_)) > expires_;
    }

private:
    std::string name_;
    test_clock::time_point expires_;
};

/// The defaults are for production; a test of failures does not want to wait three seconds for each.
inline config quick(std::string address) {
    config settings;
    settings.address = std::move(address);
    settings.timeout = 500ms;
    settings.connect_timeout = 2000ms;
    settings.retry_delay = 20ms;
    return as_variant(std::move(settings));
}

/// What a call threw; `reason` is 0 when it threw nothing.
struct outcome {
    errc reason{};
    std::string message{};
    friend std::ostream& operator<<(std::ostream& out, outcome const& what) {
        return out << (what.reason == errc{} ? "success" : what.message);
    }
};

template <class Call> outcome outcome_of(Call&& call) {
    try {
        call();
        return {};
    } catch (error const& problem) {
        return {problem.reason(), problem.what()};
    }
}

/// Records what a client tells its listener. Copies are the same log.
class event_log {
public:
    explicit event_log(client& source) : state_(std::make_shared<state>()) {
        source.on_event([kept = state_](event const& what) {
            std::lock_guard const guard(kept->mutex);
            kept->events.push_back(what);
        });
    }

    std::size_t count(event::kind what, std::string const& lock_name = {}) const {
        std::lock_guard const guard(state_->mutex);
        return static_cast<std::size_t>(
            std::count_if(state_->events.begin(), state_->events.end(), [&](event const& one) {
                return one.what == what && (lock_name.empty() || one.lock_name == lock_name);
            }));
    }
    bool wait_for(event::kind what, std::string const& lock_name = {}) const {
        return wait_until([&] { return count(what, lock_name) > 0; });
    }
    std::vector<event> all() const {
        std::lock_guard const guard(state_->mutex);
        return state_->events;
    }

private:
    struct state {
        std::mutex mutex;
        std::vector<event> events;
    };
    std::shared_ptr<state> state_;
};

/// Nothing held, waited for, subscribed to or unresolved, as soon as lingering subscriptions have gone.
inline void expect_idle(client const& user) {
    counters last;
    wait_until([&] {
        last = user.stats();
        return last.holds == 0 && last.waiters == 0 && last.subscriptions == 0 && last.unresolved == 0;
    });
    EXPECT_EQ(last.holds, 0U);
    EXPECT_EQ(last.waiters, 0U);
    EXPECT_EQ(last.subscriptions, 0U);
    EXPECT_EQ(last.unresolved, 0U);
}

/// On a thread of its own. The future's destructor waits for the call.
template <class Call> auto in_thread(Call call) {
    return std::async(std::launch::async, std::move(call));
}

template <class Result> bool is_ready(std::future<Result> const& future) {
    return future.wait_for(0s) == std::future_status::ready;
}

class with_server : public ::testing::Test {
protected:
    redis_server server;
    std::string const name = unique_name();

    bool exists(std::string const& key) const { return server.run("EXISTS", key).integer == 1; }
    /// A waiter of somebody is subscribed to the lock's channel.
    bool somebody_waits(std::string const& lock) const { return somebody_listens(channel_of(lock)); }
    bool somebody_listens(std::string const& channel) const {
        auto const reply = server.run("PUBSUB", "NUMSUB", channel);
        return reply.items.size() == 2 && reply.items[1].integer > 0;
    }
};

} // namespace redlatch::test
