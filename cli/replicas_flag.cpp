#include "replicas_flag.hpp"

#include "durations.hpp"
#include "exit_code.hpp"
#include "text.hpp"

#include <charconv>

namespace redlatch::cli {
namespace {

constexpr int most_replicas_to_wait_for = 1000;

replica_policy policy_of(std::string const& text) {
    if (text == "none") return replica_policy::none();
    if (text == "all") return replica_policy::all();
    int replicas = 0;
    auto const* const end = text.data() + text.size();
    auto const [stop, problem] = std::from_chars(text.data(), end, replicas);
    if (problem != std::errc{} || stop != end || replicas < 1 || replicas > most_replicas_to_wait_for)
        throw usage_error("--replicas: '" + printable(text)
                          + "' is neither a number of replicas, 1 to 1000, nor all or none");
    return replica_policy::at_least(replicas);
}

} // namespace

std::optional<replica_policy> parse_replicas(std::optional<std::string> const& text,
                                             std::optional<duration> const& timeout) {
    if (!text && !timeout) return std::nullopt;
    if (!text) throw usage_error("--replicas-timeout is for --replicas, which says how many are waited for; give both");
    auto policy = policy_of(*text);
    if (!timeout) return policy;
    if (*timeout < duration(1))
        throw usage_error("--replicas-timeout " + to_text(*timeout)
                          + " is too short: no replica answers at once; leave --replicas away to wait for none");
    policy.time = *timeout;
    return policy;
}

std::optional<replica_policy> saying_why(std::optional<replica_policy> policy) {
    if (policy && policy->shortage == replica_shortage::give_back) policy->shortage = replica_shortage::fail;
    return policy;
}

bool counts_as_busy(error const& problem, std::optional<replica_policy> const& configured) {
    return problem.reason() == errc::not_replicated && configured
           && configured->shortage == replica_shortage::give_back;
}

error as_not_acquired(error const& problem) {
    return problem.reason() == errc::lease_lost ? error(errc::not_replicated, problem.what()) : problem;
}

std::string held_by_replicas(std::optional<int> number) {
    if (!number) return {};
    if (*number == 0) return ", which no replica has";
    return ", which " + std::to_string(*number) + (*number == 1 ? " replica has too" : " replicas have too");
}

} // namespace redlatch::cli
