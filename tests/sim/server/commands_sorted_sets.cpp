#include "sim/server/command.hpp"
#include "sim/server/commands.hpp"
#include "sim/server/reply.hpp"
#include "sim/server/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redlatch::sim::commands {
namespace {

constexpr std::string_view no_float = "ERR value is not a valid float";

// False: a key of another type; that is answered.
bool find_members(call& one, scored_members*& result) {
    auto* const found = one.node.find_key(one.database, one[1]);
    result = found == nullptr ? nullptr : std::get_if<scored_members>(&found->value);
    if (found == nullptr || result != nullptr) return true;
    reply::wrong_type(one.out);
    return false;
}

bool find_or_make_members(call& one, scored_members*& result) {
    if (!find_members(one, result)) return false;
    if (result != nullptr) return true;
    one.node.store(one.database, one[1], {scored_members()});
    return find_members(one, result);
}

/// Scores from one to another.
struct score_range {
    struct bound {
        double score;
        bool without; ///< this one itself
    };
    bound least;
    bound most;
    bool has(double score) const noexcept {
        return (least.without ? score > least.score : score >= least.score)
               && (most.without ? score < most.score : score <= most.score);
    }
};

/// As strtod reads it, so an empty one is zero.
std::optional<score_range::bound> bound_in(std::string_view text) {
    bool const without = text.starts_with('(');
    std::string const number(text.substr(without ? 1 : 0));
    char* end = nullptr;
    double const score = std::strtod(number.c_str(), &end);
    if (*end != '\0' || std::isnan(score)) return std::nullopt;
    return score_range::bound{score, without};
}

/// None: answered.
std::optional<score_range> score_range_of(call& one) {
    auto const least = bound_in(one[2]);
    auto const most = bound_in(one[3]);
    if (least && most) return score_range{*least, *most};
    reply::error(one.out, "ERR min or max is not a float");
    return std::nullopt;
}

} // namespace

// Without options.
void zadd(call& one) {
    if (one.argv.size() % 2 == 1) return reply::syntax_error(one.out);
    std::vector<std::pair<double, std::string_view>> given;
    for (std::size_t at = 2; at < one.argv.size(); at += 2) {
        auto const score = score_in(one[at]);
        if (!score) return reply::error(one.out, no_float);
        given.emplace_back(*score, one[at + 1]);
    }
    scored_members* members = nullptr;
    if (!find_or_make_members(one, members)) return;
    std::int64_t added = 0;
    for (auto const& [score, name] : given) added += members->set(name, score) ? 1 : 0;
    one.node.changed();
    reply::integer(one.out, added);
}

void zcard(call& one) {
    scored_members* members = nullptr;
    if (!find_members(one, members)) return;
    reply::integer(one.out, members == nullptr ? 0 : static_cast<std::int64_t>(members->size()));
}

void zcount(call& one) {
    auto const range = score_range_of(one);
    if (!range) return;
    scored_members* members = nullptr;
    if (!find_members(one, members)) return;
    std::int64_t count = 0;
    if (members != nullptr)
        count =
            std::count_if(members->begin(), members->end(), [&](auto const& each) { return range->has(each.first); });
    reply::integer(one.out, count);
}

void zincrby(call& one) {
    auto const amount = score_in(one[2]);
    if (!amount) return reply::error(one.out, no_float);
    scored_members* members = nullptr;
    if (!find_members(one, members)) return;
    auto const sum = (members == nullptr ? 0 : members->find(one[3]).value_or(0)) + *amount;
    if (std::isnan(sum)) return reply::error(one.out, "ERR resulting score is not a number (NaN)");
    if (!find_or_make_members(one, members)) return;
    members->set(one[3], sum);
    one.node.changed();
    reply::bulk(one.out, shown_score(sum));
}

// By their places, lowest scores first.
void zrange(call& one) {
    bool const with_scores = one.argv.size() == 5 && same_word(one[4], "withscores");
    if (one.argv.size() > 4 && !with_scores) return reply::syntax_error(one.out);
    auto const range = range_of(one[2], one[3]);
    if (!range) return reply::not_an_integer(one.out);
    scored_members* members = nullptr;
    if (!find_members(one, members)) return;
    auto const [first, end] = range->within(members == nullptr ? 0 : static_cast<std::int64_t>(members->size()));
    reply::array(one.out, (end - first) * (with_scores ? 2 : 1));
    for (auto at = first; at < end; ++at) {
        auto const& [score, name] = members->begin()[static_cast<std::ptrdiff_t>(at)];
        reply::bulk(one.out, name);
        if (with_scores) reply::bulk(one.out, shown_score(score));
    }
}

void zrangebyscore(call& one) {
    bool with_scores = false;
    std::int64_t skipped = 0;
    std::int64_t most = -1;
    for (std::size_t at = 4; at < one.argv.size(); ++at) {
        if (same_word(one[at], "withscores")) {
            with_scores = true;
        } else if (same_word(one[at], "limit") && at + 2 < one.argv.size()) {
            auto const first = integer_in(one[at + 1]);
            auto const count = integer_in(one[at + 2]);
            if (!first || !count) return reply::not_an_integer(one.out);
            skipped = *first;
            most = *count;
            at += 2;
        } else {
            return reply::syntax_error(one.out);
        }
    }
    auto const range = score_range_of(one);
    if (!range) return;
    scored_members* members = nullptr;
    if (!find_members(one, members)) return;
    std::vector<std::pair<double, std::string>> found;
    if (members != nullptr)
        for (auto const& each : *members)
            if (range->has(each.first)) found.push_back(each);
    auto const first = skipped < 0 ? found.size() : std::min(found.size(), static_cast<std::size_t>(skipped));
    auto const left = found.size() - first;
    auto const count = most < 0 ? left : std::min(left, static_cast<std::size_t>(most));
    reply::array(one.out, count * (with_scores ? 2 : 1));
    for (auto at = first; at < first + count; ++at) {
        reply::bulk(one.out, found[at].second);
        if (with_scores) reply::bulk(one.out, shown_score(found[at].first));
    }
}

void zrem(call& one) {
    scored_members* members = nullptr;
    if (!find_members(one, members)) return;
    std::int64_t removed = 0;
    if (members != nullptr) {
        for (auto const name : one.argv.subspan(2)) removed += members->erase(name) ? 1 : 0;
        if (removed > 0) one.node.changed();
        if (members->empty()) one.node.remove_key(one.database, one[1]);
    }
    reply::integer(one.out, removed);
}

void zscore(call& one) {
    scored_members* members = nullptr;
    if (!find_members(one, members)) return;
    auto const score = members == nullptr ? std::nullopt : members->find(one[2]);
    if (!score) return reply::nil(one.out);
    reply::bulk(one.out, shown_score(*score));
}

} // namespace redlatch::sim::commands
