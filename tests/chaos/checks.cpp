#include "checks.hpp"

#include "sections.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace redlatch::chaos {

namespace {

std::string at(std::int64_t us) {
    return std::to_string(us / 1000) + "." + std::to_string(us % 1000 / 100) + " ms";
}

std::string described(section const& one) {
    return one.who + " (entry " + std::to_string(one.token) + ", " + at(one.from) + " to " + at(one.to) + ")";
}

} // namespace

bool was_stopped(history const& events, std::string_view who, std::int64_t from, std::int64_t to) {
    std::int64_t since = -1;
    for (auto const& each : events) {
        if (each.who != process_of(who)) continue;
        if (each.what == kind::stopped) since = each.at;
        if (each.what == kind::continued && since >= 0) {
            if (since < to && from < each.at) return true;
            since = -1;
        }
    }
    return since >= 0 && since < to;
}

violations overlapping_sections(history const& events) {
    violations result;
    for (auto const& each : overlaps_of(sections_of(events)))
        result.push_back({"exclusion by time", described(each.first) + " and " + described(each.second)
                                                   + " were inside together for " + at(each.length_us)});
    return result;
}

violations tokens_of_others(history const& events) {
    std::set<std::int64_t> turned_away;
    for (auto const& each : events)
        if (each.what == kind::turned_away) turned_away.insert(each.number);
    violations result;
    for (auto const& each : sections_of(events))
        for (auto token = each.token + 1; token <= each.last_token; ++token)
            if (!turned_away.contains(token))
                result.push_back({"exclusion by token", described(each) + " saw entry " + std::to_string(token)
                                                            + " while its hold was valid"});
    return result;
}

violations missed_notices(history const& events, std::chrono::microseconds margin) {
    struct holding {
        std::int64_t since = 0;
        bool lost = false;
        bool told = false;
    };
    violations result;
    std::map<std::string, holding> now;
    auto const finish = [&](std::string const& who) {
        if (auto const found = now.find(who); found != now.end() && found->second.lost && !found->second.told)
            result.push_back({"notice", who + " found its hold lost, and lost() was never stopped"});
        now.erase(who);
    };
    for (auto const& each : events) {
        if (each.what == kind::got) {
            finish(each.who);
            now[each.who] = {each.at};
        } else if (each.what == kind::lost) {
            now[each.who].lost = true;
        } else if (each.what == kind::told) {
            auto& holder = now[each.who];
            holder.told = true;
            auto const late = each.at - each.until - margin.count();
            if (late > 0 && !was_stopped(events, each.who, holder.since, each.at))
                result.push_back(
                    {"notice", each.who + " was told of its loss " + at(late) + " after the key could expire"});
        }
    }
    while (!now.empty()) finish(std::string(now.begin()->first));
    return result;
}

violations waiters_left_behind(history const& events) {
    std::map<std::string, std::int64_t> waiting;
    std::set<std::string_view> killed;
    for (auto const& each : events) {
        if (each.what == kind::ask) waiting[each.who] = each.at;
        if (each.what == kind::got || each.what == kind::fail) waiting.erase(each.who);
        if (each.what == kind::killed) killed.insert(each.who);
    }
    violations result;
    for (auto const& [who, since] : waiting)
        if (!killed.contains(process_of(who)))
            result.push_back({"waiters", who + " asked at " + at(since) + " and never heard"});
    return result;
}

violations deadline_overruns(history const& events, std::chrono::microseconds slack) {
    struct wait {
        std::int64_t since = 0;
        std::int64_t deadline = 0;
    };
    std::map<std::string, wait> waiting;
    violations result;
    for (auto const& each : events) {
        if (each.what == kind::ask) waiting[each.who] = {each.at, each.until};
        if (each.what != kind::got && each.what != kind::fail) continue;
        auto const [since, deadline] = waiting[each.who];
        auto const late = each.at - deadline;
        if (deadline != 0 && late > slack.count() && !was_stopped(events, each.who, since, each.at))
            result.push_back({"deadline", each.who + " waited " + at(late) + " beyond its deadline"});
        waiting.erase(each.who);
    }
    return result;
}

violations orphan_keys(history const& events) {
    violations result;
    for (auto const& each : events)
        if (each.what == kind::key_left) result.push_back({"orphans", "the key " + each.text + " is left"});
    return result;
}

} // namespace redlatch::chaos
