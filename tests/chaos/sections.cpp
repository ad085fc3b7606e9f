#include "sections.hpp"

#include <algorithm>
#include <map>

namespace redlatch::chaos {

std::vector<section> sections_of(history const& events) {
    struct open_section {
        section now;
        std::int64_t valid_until = 0;
    };
    std::vector<section> done;
    std::map<std::string, open_section> open;
    auto const finish = [&](std::string const& who, section::ending how) {
        auto const found = open.find(who);
        if (found == open.end()) return;
        auto& last = found->second;
        last.now.how = how;
        if (how == section::ending::cut) last.now.to = std::max(last.now.to, last.valid_until);
        done.push_back(last.now);
        open.erase(found);
    };
    for (auto const& each : events) {
        if (each.what == kind::enter) {
            open[each.who] = {{each.who, each.number, each.at, each.at, each.number}, each.until};
        } else if (each.what == kind::look || each.what == kind::leave) {
            if (auto const found = open.find(each.who); found != open.end()) {
                found->second.now.to = each.at;
                found->second.now.last_token = each.number;
                found->second.valid_until = each.until;
            }
            if (each.what == kind::leave) finish(each.who, section::ending::left);
        } else if (each.what == kind::lost) {
            finish(each.who, section::ending::lost);
        }
    }
    while (!open.empty()) finish(std::string(open.begin()->first), section::ending::cut);
    std::sort(done.begin(), done.end(),
              [](section const& left, section const& right) { return left.token < right.token; });
    return done;
}

std::vector<overlap> overlaps_of(std::vector<section> const& sections) {
    std::vector<section> ordered = sections;
    std::sort(ordered.begin(), ordered.end(),
              [](section const& left, section const& right) { return left.from < right.from; });
    std::vector<overlap> result;
    std::vector<section> inside; // that may still reach into later ones
    for (auto const& each : ordered) {
        std::erase_if(inside, [&](section const& earlier) { return earlier.to <= each.from; });
        for (auto const& earlier : inside) result.push_back({earlier, each, std::min(earlier.to, each.to) - each.from});
        inside.push_back(each);
    }
    return result;
}

} // namespace redlatch::chaos
