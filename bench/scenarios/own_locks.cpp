#include "scenarios/contenders.hpp"

namespace redlatch::bench {

namespace {

constexpr char const* limits_of_own_locks =
    "threads on one connection: the one that reads wakes the others, a system call each, which a socket for each "
    "thread leaves to the kernel.";

constexpr char const* each = "a connection each, ";

std::vector<aim> aims_for(int threads, form which) {
    auto const own_connections = each + name_of(which);
    if (threads == 8)
        return which == form::scripts ? std::vector<aim>{at_least(1.05, own_connections)}
                                      : std::vector<aim>{at_least(7, "Redisson")};
    if (threads == 64 && which == form::scripts) return {at_least(1.5, own_connections)};
    if (threads == 64)
        return {at_least(12, "Redisson"), at_least(4, "Redisson, tuned"), at_least(1.5, own_connections),
                at_most(8, figure::client_cpu)};
    return {};
}

} // namespace

std::vector<scenario> own_locks(stage const& on) {
    std::vector<scenario> result;
    auto const where = on.at.tcp();
    for (int const threads : {8, 64}) {
        auto const count = std::to_string(threads);
        scenario one{count + " threads, " + count + " locks", "cycles/s", true, {}};
        one.floor = each + name_of(form::plain);
        one.limits = limits_of_own_locks;
        one.contenders = {our_threads(on, where, threads, one_each(), {}, aims_for(threads, form::plain)),
                          our_threads(on, where, threads, one_each(),
                                      {.title = "redlatch, scripts", .commands = command_set::scripts},
                                      aims_for(threads, form::scripts)),
                          raw_threads(on, "a connection each", where, form::plain, threads, one_each()),
                          raw_threads(on, "a connection each", where, form::scripts, threads, one_each())};
        for (auto& other : peer_contenders(on, "own", threads)) one.contenders.push_back(std::move(other));
        result.push_back(std::move(one));
    }
    scenario many{"256 threads, 256 locks", "cycles/s", true, {}};
    many.floor = "redlatch, 64 threads";
    many.limits = limits_of_own_locks;
    many.contenders = {
        our_threads(on, where, 256, one_each(), {}, {at_least(0.9, many.floor), at_most(2, figure::spread)}),
        our_threads(on, where, 64, one_each(), {.title = many.floor}, {}),
        raw_threads(on, "a connection each", where, form::plain, 256, one_each())};
    result.push_back(std::move(many));
    return result;
}

} // namespace redlatch::bench
