// What the threads of a soak do: all ways to take a lock, hold it, lose it and give it back.
#pragma once

#include "board.hpp"

#include <redlatch/redlatch.hpp>

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace redlatch::soak {

/// Whom a stop request may hit: a thread that acquires leaves its token here.
class cancellable {
public:
    std::stop_token enter();
    void cancel();

private:
    std::mutex mutex_;
    std::stop_source source_;
};

/// A hold on its way to another thread.
struct handed_over {
    hold what;
    std::size_t lock = 0;
};

/// Shared by the threads of one process. Thread safety: shared objects: safe.
class mix {
public:
    mix(client& with, config settings, board& shared, process_row& row, int threads);
    ~mix();

    /// Threads work until stop(), which joins them and gives back what was on its way.
    void start(unsigned seed);
    void stop();

private:
    using random = std::minstd_rand;
    struct wish {
        reentrant_lock lock;
        std::optional<std::size_t> judged{}; ///< its number on the board
        acquire_options options{};
    };

    void work(std::size_t thread, random chance);
    void cancel_now_and_then(std::stop_token const& ending, random chance);
    void one_step(std::size_t thread, random& chance);

    wish a_wish(client& from, std::size_t thread, random& chance);
    std::optional<hold> taken(wish& want, bool try_only = false);
    void inside(hold const& mine, std::optional<std::size_t> judged, random& chance);
    void give_back(hold& mine);
    void count(std::error_code code);
    static void check_deadline(number& longest, acquire_options const& options, lease_clock::time_point asked);

    void plain(client& from, std::size_t thread, random& chance);
    void nested(std::size_t thread, random& chance);
    void adapter(random& chance);
    void short_lease(std::size_t thread, random& chance);
    void asynchronous(std::size_t thread, random& chance);
    void hand_off(std::size_t thread, random& chance);
    void take_over(random& chance);
    void force(random& chance);
    void other_client(std::size_t thread, random& chance);

    client* client_;
    config settings_;
    board* board_;
    process_row* row_;
    std::vector<cancellable> cancellable_;
    std::mutex mutex_;
    std::deque<handed_over> on_their_way_;
    std::stop_source ending_;
    std::vector<std::jthread> threads_;
};

} // namespace redlatch::soak
