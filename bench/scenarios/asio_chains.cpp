#include "scenarios/asio_chains.hpp"

#include <redlatch/asio.hpp>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace redlatch::bench {

namespace {

using code = boost::system::error_code;

/// All on one thread.
struct shared {
    tally& into;
    phases const& now;
    boost::asio::io_context context{1};
    std::optional<client> user{};
    int running = 0;
    code problem{};

    void end_of_chain(code why) {
        if (why) problem = why;
        if (--running == 0) user.reset(); // run() returns once the client is closed
    }
};

class chain {
public:
    chain(shared& all, reentrant_lock lock) : all_(all), lock_(std::move(lock)) { options_.owner = owner(); }

    void next() {
        began_ = clock::now();
        async_acquire(lock_, options_, [this](code ec, hold got) {
            if (ec) return all_.end_of_chain(ec);
            if (all_.now.measuring.load(std::memory_order_relaxed))
                all_.into.acquisitions.add((clock::now() - began_) / std::chrono::nanoseconds(1));
            async_release(std::move(got), [this](code problem) { released(problem); });
        });
    }

private:
    using clock = std::chrono::steady_clock;

    void released(code problem) {
        if (problem) return all_.end_of_chain(problem);
        all_.into.cycles.store(all_.into.cycles.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        if (all_.now.stop.load(std::memory_order_relaxed)) return all_.end_of_chain({});
        next();
    }

    shared& all_;
    reentrant_lock lock_;
    acquire_options options_{};
    clock::time_point began_{};
};

} // namespace

void run_asio_chains(config const& settings, int count, tally& into, phases const& now) {
    shared all{into, now};
    all.user.emplace(make_client(all.context, settings));
    std::vector<std::unique_ptr<chain>> chains;
    for (int number = 0; number < count; ++number)
        chains.push_back(std::make_unique<chain>(all, all.user->get_lock("bench:" + std::to_string(number))));
    all.running = count;
    for (auto const& each : chains) each->next();
    all.context.run();
    if (all.problem) throw boost::system::system_error(all.problem, "an asynchronous cycle");
}

} // namespace redlatch::bench
