// Very many locks that one client holds and renews.
#pragma once

#include <redlatch/client.hpp>

#include <atomic>
#include <semaphore>
#include <string>
#include <vector>

namespace redlatch::bench {

class held_locks {
public:
    explicit held_locks(config const& settings);

    /// More of them. Some are asked for at a time. Throws std::system_error if one cannot be had.
    /// Names are numbers behind the prefix.
    void acquire(int count, std::string const& prefix = "bench:");
    /// How often one was lost or suspect since all were there.
    int late() const;
    client& by() noexcept { return client_; }

private:
    static constexpr int at_a_time = 128;

    client client_;
    std::vector<hold> holds_{};
    std::counting_semaphore<at_a_time> free_slots_{at_a_time};
    std::atomic<int> told_{0};
};

} // namespace redlatch::bench
