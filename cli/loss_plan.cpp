#include "loss_plan.hpp"

#include "durations.hpp"
#include "exit_code.hpp"

#include <algorithm>

namespace redlatch::cli {

using namespace std::chrono_literals;

schedule schedule_for(instant end, loss_policy const& policy) noexcept {
    auto const kill = end - policy.reserve;
    switch (policy.action) {
    case on_lost::terminate: return {kill - policy.grace, kill};
    case on_lost::kill: return {never, kill};
    case on_lost::warn: return {};
    }
    return {};
}

schedule schedule_after_loss(instant now, instant end, loss_policy const& policy) noexcept {
    switch (policy.action) {
    case on_lost::terminate: return {now, std::max(now, std::min(end - policy.reserve, now + policy.grace))};
    case on_lost::kill: return {never, now};
    case on_lost::warn: return {};
    }
    return {};
}

schedule guard_schedule(schedule const& tool, loss_policy const& policy) noexcept {
    if (tool.term == never) return tool;
    return {tool.term + std::min<duration>(policy.grace / 4, 100ms), tool.kill};
}

instant next_look(instant now, schedule const& due) noexcept {
    constexpr auto shortest = 5ms;
    auto const first = std::min(due.term, due.kill);
    if (first == never || first <= now + shortest) return first;
    return now + std::max<lease_clock::duration>((first - now) / 2, shortest);
}

duration choose_reserve(duration lease) noexcept {
    auto const margin = std::max<duration>(20ms, lease / 100);
    return std::max<duration>(std::min<duration>(lease / 8, 100ms) - margin, 0ms);
}

duration choose_grace(std::optional<duration> asked, duration shortest) {
    constexpr duration usual = 2s;
    if (!asked) return usual < shortest / 2 ? usual : shortest / 4;
    if (*asked >= (shortest + 1ms) / 2)
        throw usage_error("--grace " + to_text(*asked) + " is too long: it must be below half of " + to_text(shortest)
                          + ", the time for which the lock is certainly held");
    return *asked;
}

} // namespace redlatch::cli
