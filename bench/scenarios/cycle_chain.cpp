#include "scenarios/cycle_chain.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <system_error>

namespace redlatch::bench {

/// Handlers without an executor run on one thread, the notifier's: it alone counts.
struct cycle_chains::shared {
    shared(tally& counts, phases const& phase) : into(counts), now(phase) {}

    tally& into;
    phases const& now;
    std::mutex mutex{};
    std::condition_variable ended{};
    std::size_t running = 0;
    std::error_code problem{};

    void end_of_chain(std::error_code why) {
        std::lock_guard const guard(mutex);
        if (why) problem = why;
        if (--running == 0) ended.notify_all();
    }
};

class cycle_chains::chain {
public:
    chain(shared& all, reentrant_lock lock) : all_(all), lock_(std::move(lock)) {}

    void next() {
        began_ = clock::now();
        lock_.async_acquire({.owner = owner_}, {}, [this](std::error_code ec, hold got) {
            if (ec) return all_.end_of_chain(ec);
            if (all_.now.measuring.load(std::memory_order_relaxed))
                all_.into.acquisitions.add((clock::now() - began_) / std::chrono::nanoseconds(1));
            held_ = std::move(got);
            held_.async_release({}, [this](std::error_code problem) { released(problem); });
        });
    }

private:
    using clock = std::chrono::steady_clock;

    void released(std::error_code problem) {
        if (problem) return all_.end_of_chain(problem);
        all_.into.cycles.store(all_.into.cycles.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        if (all_.now.stop.load(std::memory_order_relaxed)) return all_.end_of_chain({});
        next();
    }

    shared& all_;
    reentrant_lock lock_;
    owner owner_{};
    hold held_{};
    clock::time_point began_{};
};

cycle_chains::cycle_chains(client& locks, int count, tally& into, phases const& now)
    : shared_(std::make_unique<shared>(into, now)) {
    for (int number = 0; number < count; ++number)
        chains_.push_back(std::make_unique<chain>(*shared_, locks.get_lock("bench:" + std::to_string(number))));
    shared_->running = chains_.size();
}

cycle_chains::~cycle_chains() = default;

void cycle_chains::run() {
    for (auto const& each : chains_) each->next();
    std::unique_lock guard(shared_->mutex);
    shared_->ended.wait(guard, [&] { return shared_->running == 0; });
    if (shared_->problem) throw std::system_error(shared_->problem, "an asynchronous cycle");
}

} // namespace redlatch::bench
