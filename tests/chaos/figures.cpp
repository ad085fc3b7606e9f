#include "figures.hpp"

#include "checks.hpp"
#include "sections.hpp"

#include <algorithm>
#include <map>

namespace redlatch::chaos {

namespace {

std::optional<std::int64_t> time_of(history const& events, kind what) {
    auto const found = std::find_if(events.begin(), events.end(), [&](event const& each) { return each.what == what; });
    return found == events.end() ? std::nullopt : std::optional(found->at);
}

/// Of a loss that `who` has noticed at `when`: since when it could have.
std::int64_t noticeable_since(history const& events, std::string_view who, std::int64_t fault, std::int64_t when) {
    for (auto const& each : events)
        if (each.what == kind::continued && each.who == process_of(who) && each.at <= when)
            fault = std::max(fault, each.at);
    return fault;
}

void count_losses(history const& events, std::int64_t fault, std::chrono::microseconds margin, figures& result) {
    struct holding {
        std::int64_t since = 0;
        std::int64_t valid_until = 0; ///< before it was lost: then it says no more than that it is over
        bool lost = false;
    };
    std::map<std::string, holding> now;
    for (auto const& each : events) {
        auto& holder = now[each.who];
        if (each.what == kind::got) holder = {each.at, each.until};
        if (each.what == kind::enter || each.what == kind::look) holder.valid_until = each.until;
        if (each.what == kind::told && !was_stopped(events, each.who, holder.since, each.at)) {
            auto const ahead = std::max(each.until, holder.valid_until) + margin.count() - each.at;
            result.ahead_us = std::min(result.ahead_us.value_or(ahead), ahead);
        }
        bool const at_release = each.what == kind::freed && each.text == "lease_lost";
        bool const notice = each.what == kind::lost || each.what == kind::told || at_release;
        if (!notice || holder.lost) continue;
        holder.lost = true;
        ++result.losses;
        if (at_release) result.noticed_at_release = true;
        if (each.at < fault) continue;
        auto const took = each.at - noticeable_since(events, each.who, fault, each.at);
        result.notice_us = std::max(result.notice_us.value_or(took), took);
    }
}

bool failed(event const& one) {
    if (one.what == kind::fail) return one.text != "cancelled" && one.text != "timed_out";
    return one.what == kind::freed && !one.text.empty() && one.text != "lease_lost";
}

void count_waits(history const& events, figures& result) {
    std::map<std::string, std::int64_t> waiting;
    std::optional<std::int64_t> freed_at;
    std::optional<std::int64_t> inside_at;
    for (auto const& each : events) {
        if (each.what == kind::ask) waiting[each.who] = each.at;
        if (each.what == kind::freed && each.text.empty()) freed_at = each.at;
        if (failed(each)) ++result.errors;
        if (each.what == kind::enter) {
            auto const asked = waiting[each.who];
            auto const idle = each.at - std::max(asked, inside_at.value_or(asked));
            result.longest_wait_us = std::max(result.longest_wait_us, idle);
            if (freed_at && asked < *freed_at && each.at - *freed_at > std::chrono::microseconds(unheard_after).count())
                ++result.unheard;
            freed_at.reset();
        }
        bool const inside = each.what == kind::enter || each.what == kind::look || each.what == kind::leave;
        if (inside) inside_at = each.at;
    }
}

std::optional<std::int64_t> recovery(history const& events) {
    auto const healed = time_of(events, kind::healed);
    if (!healed) return std::nullopt;
    std::map<std::string, std::int64_t> valid_until;
    for (auto const& each : events) {
        if (each.what == kind::released) break;
        bool const renewed =
            each.what == kind::look && valid_until.contains(each.who) && each.until > valid_until[each.who];
        if (each.at >= *healed && (renewed || each.what == kind::enter)) return each.at - *healed;
        // Two readings of two clocks: a microsecond or two is no renewal.
        if (each.what == kind::enter || each.what == kind::look) valid_until[each.who] = each.until + 1000;
    }
    return std::nullopt;
}

std::optional<std::int64_t> last_entry(history const& events, std::int64_t fault, std::int64_t healed) {
    std::optional<std::int64_t> result;
    for (auto const& each : events)
        if (each.what == kind::enter && each.at >= fault && each.at < healed) result = each.at - fault;
    return result;
}

} // namespace

figures figures_of(history const& events, std::chrono::microseconds margin) {
    figures result;
    auto const sections = sections_of(events);
    result.entries = static_cast<int>(sections.size());
    for (auto const& each : overlaps_of(sections)) {
        ++result.overlaps;
        result.overlap_us += each.length_us;
    }
    auto const fault = time_of(events, kind::fault);
    auto const healed = time_of(events, kind::healed);
    if (fault && healed) {
        result.fault_us = *healed - *fault;
        result.last_entry_us = last_entry(events, *fault, *healed);
    }
    count_losses(events, fault.value_or(0), margin, result);
    count_waits(events, result);
    result.recovery_us = recovery(events);
    return result;
}

} // namespace redlatch::chaos
