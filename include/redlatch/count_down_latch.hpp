// A gate that opens when it has been counted down, in whatever process: Redisson's RCountDownLatch.
//
//     redlatch::count_down_latch loaded = client.get_count_down_latch("loaded");
//     loaded.try_set_count(3);
//     loaded.count_down();                            // in each of three processes
//     loaded.wait({.wait = 1min});                    // in any number of others; or throws
//
// A latch that has been counted down is not there any more, on the server: it cannot be told from one that was never set.
// wait() returns at once for both, as Java's await() does, so set it before anybody waits. It can be set again then;
// who has not looked by then waits for the new count. In a cluster with messages of shards the messages of a latch whose name
// has a hash tag belong to another slot than its count, so that waiters are not told: they ask ten times a second. (Redisson's
// script is refused there.)
// Wire format: protocol section 7.2.
#pragma once

#include <redlatch/basic_counter.hpp>
#include <redlatch/completion.hpp>
#include <redlatch/counter_options.hpp>
#include <redlatch/export.hpp>
#include <redlatch/options.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

namespace redlatch {

/// Made by client::get_count_down_latch. Thread safety, object lifetimes, errors: as of basic_counter.
class REDLATCH_EXPORT count_down_latch : public basic_counter {
public:
    /// Waits until the count is zero. One round trip where it is; no polling where it is not.
    /// Throws error: timed_out (busy for a wait of zero), cancelled, disconnected, server_refused, wrong_type, bad_reply,
    /// invalid_argument, closed, forked, wrong_thread.
    void wait(wait_options const& options = {});
    void wait(wait_options const& options, std::error_code& ec);
    void async_wait(wait_options const& options, executor ex, std::function<void(std::error_code)> handler);
    [[nodiscard]] std::optional<outcome> start_wait(wait_options const& options, completion_ptr<>& done);

    /// Whether the count is zero. One round trip.
    [[nodiscard]] bool try_wait() { return count() == 0; }

    /// Sets a latch that is not set; false: it is. `count`: at least one. One round trip.
    bool try_set_count(int count);
    void async_try_set_count(int count, executor ex, std::function<void(std::error_code, bool)> handler);
    [[nodiscard]] std::optional<outcome> start_try_set_count(int count, completion_ptr<bool>& done);

    /// One less; at zero the waiters go on. False: it is not set, or was counted down before; nothing was changed. One round
    /// trip.
    bool count_down();
    void async_count_down(executor ex, std::function<void(std::error_code, bool)> handler);
    [[nodiscard]] std::optional<outcome> start_count_down(completion_ptr<bool>& done);

    /// What is left; 0: also where it is not set. One round trip.
    std::int64_t count();
    void async_count(executor ex, std::function<void(std::error_code, std::int64_t)> handler);
    [[nodiscard]] std::optional<outcome> start_count(completion_ptr<std::int64_t>& done);

private:
    friend class client;
    explicit count_down_latch(std::shared_ptr<detail::counter_impl> impl) noexcept : basic_counter(std::move(impl)) {}
};

} // namespace redlatch
