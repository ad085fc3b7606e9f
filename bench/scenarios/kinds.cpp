#include "scenarios/contenders.hpp"

namespace redlatch::bench {

std::vector<scenario> kinds(stage const& on) {
    struct kind {
        std::string name;
        lock_maker get;
    };
    kind const others[] = {
        {"fenced", [](client& from, std::string const& name) { return from.get_fenced_lock(name); }},
        {"spin", [](client& from, std::string const& name) { return from.get_spin_lock(name); }},
        {"non_reentrant", [](client& from, std::string const& name) { return from.get_non_reentrant_lock(name); }}};
    std::vector<scenario> result;
    auto const where = on.at.tcp();
    constexpr int threads = 64;
    for (auto const& each : others) {
        scenario one{std::to_string(threads) + " threads, " + std::to_string(threads) + " locks, " + each.name,
                     "cycles/s",
                     true,
                     {}};
        one.floor = "re-entrant";
        one.limits = "what the kind does differently: scripts in place of plain commands, no message.";
        one.contenders = {
            our_threads(on, where, threads, one_each(), {.kind = each.get}, {at_least(2, "Redisson, tuned")}),
            our_threads(on, where, threads, one_each(), {.title = one.floor}, {})};
        for (auto& other : peer_contenders(on, "own." + each.name, threads)) one.contenders.push_back(std::move(other));
        result.push_back(std::move(one));
    }
    return result;
}

} // namespace redlatch::bench
