#include "sim/scenario/shrink.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::sim {
namespace {

class smaller {
public:
    smaller(scenario const& failing, std::function<bool(scenario const&)> const& fails, int attempts)
        : best_(failing), fails_(fails), left_(attempts) {}

    scenario run() {
        for (bool progress = true; progress && left_ > 0;) {
            progress = false;
            progress |= drop([](scenario & s) -> auto& { return s.faults; });
            progress |= drop([](scenario & s) -> auto& { return s.workers; });
            for (std::size_t i = 0; i < best_.workers.size(); ++i)
                progress |= drop([i](scenario & s) -> auto& { return s.workers[i].jobs; });
            progress |= simplify();
        }
        return best_;
    }

private:
    bool attempt(scenario const& candidate) {
        if (left_-- <= 0 || !fails_(candidate)) return false;
        best_ = candidate;
        return true;
    }

    /// Takes elements out of a list, many at a time first.
    template <class List> bool drop(List list) {
        bool progress = false;
        for (auto size = list(best_).size() / 2 + 1; size > 0; size /= 2)
            for (std::size_t at = 0; at + size <= list(best_).size();) {
                auto candidate = best_;
                auto& all = list(candidate);
                all.erase(all.begin() + static_cast<std::ptrdiff_t>(at),
                          all.begin() + static_cast<std::ptrdiff_t>(at + size));
                if (attempt(candidate))
                    progress = true;
                else
                    at += size;
            }
        return progress;
    }

    bool simplify() {
        bool progress = false;
        auto const with = [&](auto const& change) {
            auto candidate = best_;
            if (change(candidate)) progress |= attempt(candidate);
        };
        with([](scenario& s) { return std::exchange(s.server_drift, 0) != 0; });
        with([](scenario& s) { return std::exchange(s.kill_refused, false); });
        with([](scenario& s) { return std::exchange(s.evalsha_refused, false); });
        with([](scenario& s) { return std::exchange(s.restore_refused, false); });
        with([](scenario& s) { return std::exchange(s.one_by_one, false); });
        with([](scenario& s) { return std::exchange(s.lazily, false); });
        with([](scenario& s) { return std::exchange(s.fail_fast, false); });
        with([](scenario& s) { return !std::exchange(s.redisson, {}).empty(); });
        with([](scenario& s) { return !std::exchange(s.scripts_only, true); });
        with([](scenario& s) { return std::exchange(s.hands_over, false); });
        with([](scenario& s) { return !std::exchange(s.strictly, true); });
        with([](scenario& s) { return std::exchange(s.detached_unlock, false); });
        with([](scenario& s) { return std::exchange(s.subscribe_refused, false); });
        with([](scenario& s) { return std::exchange(s.publish_refused, false); });
        with([](scenario& s) { return std::exchange(s.wait_refused, false); });
        with([](scenario& s) { return !std::exchange(s.shards_known, true); });
        with([](scenario& s) { return std::exchange(s.of_one_slot, 0) != 0; });
        with([](scenario& s) { return s.is_cluster() && std::exchange(s.is_whole, false); });
        with([](scenario& s) {
            bool const any = std::any_of(s.drifts.begin(), s.drifts.end(), [](auto ppm) { return ppm != 0; });
            std::fill(s.drifts.begin(), s.drifts.end(), 0);
            return any;
        });
        for (std::size_t i = 0; i < best_.workers.size(); ++i)
            for (std::size_t j = 0; j < best_.workers[i].jobs.size(); ++j) {
                with([&](scenario& s) { return std::exchange(s.workers[i].jobs[j].entries, 1) != 1; });
                with([&](scenario& s) { return std::exchange(s.workers[i].jobs[j].thread_ends, false); });
                with([&](scenario& s) { return std::exchange(s.workers[i].jobs[j].by_thread, false); });
                with([&](scenario& s) {
                    return std::exchange(s.workers[i].jobs[j].inner_lease, std::nullopt).has_value();
                });
                with([&](scenario& s) {
                    return std::exchange(s.workers[i].jobs[j].max_hold, std::nullopt).has_value();
                });
                with([&](scenario& s) {
                    return std::exchange(s.workers[i].jobs[j].hold_at_least, std::nullopt).has_value();
                });
                with([&](scenario& s) { return std::exchange(s.workers[i].jobs[j].lease, std::nullopt).has_value(); });
                with([&](scenario& s) {
                    return std::exchange(s.workers[i].jobs[j].confirmed, std::nullopt).has_value();
                });
                with([&](scenario& s) {
                    return std::exchange(s.workers[i].jobs[j].ends, job::ending::release) != job::ending::release;
                });
            }
        return progress;
    }

    scenario best_;
    std::function<bool(scenario const&)> const& fails_;
    int left_;
};

} // namespace

scenario shrink(scenario const& failing, std::function<bool(scenario const&)> const& fails, int attempts) {
    return smaller(failing, fails, attempts).run();
}

} // namespace redlatch::sim
