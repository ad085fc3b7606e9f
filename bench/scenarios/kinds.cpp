#include "measure/measured_servers.hpp"
#include "measure/workers.hpp"
#include "scenarios/contenders.hpp"
#include "scenarios/started_when_used.hpp"

#include <redlatch/multi_lock.hpp>
#include <redlatch/red_lock.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace redlatch::bench {

namespace {

/// Never more than Redisson sends, but for what belongs to the set-up and not to the cycles.
aim no_more_commands() {
    return at_most(1.05, "Redisson", figure::commands);
}

lock_maker const read_half = [](client& from, std::string const& name) {
    return from.get_read_write_lock(name).read_lock();
};

scenario own_locks(stage const& on, int threads, std::string const& name, lock_maker const& get) {
    auto const many = std::to_string(threads);
    scenario one{many + " threads, " + many + " locks, " + name, "cycles/s", true, {}};
    one.floor = "re-entrant";
    one.limits = "what the kind does differently: scripts in place of plain commands, no message.";
    auto const where = on.at.tcp();
    one.contenders = {our_threads(on, where, threads, one_each(), {.kind = get},
                                  {at_least(2, "Redisson, tuned"), no_more_commands()}),
                      our_threads(on, where, threads, one_each(), {.title = one.floor}, {})};
    for (auto& other : peer_contenders(on, "own." + name, threads)) one.contenders.push_back(std::move(other));
    return one;
}

scenario readers(stage const& on, int threads) {
    scenario one{std::to_string(threads) + " threads, one lock, read", "cycles/s", true, {}};
    one.floor = "a lock each";
    one.limits = "who leaves with the longest lease looks who else still reads.";
    auto const where = on.at.tcp();
    one.contenders = {our_threads(on, where, threads, one_for_all(), {.kind = read_half},
                                  {at_least(5, "Redisson"), no_more_commands()}),
                      our_threads(on, where, threads, one_each(), {.title = one.floor, .kind = read_half}, {})};
    for (auto& other : peer_contenders(on, "shared.read", threads)) one.contenders.push_back(std::move(other));
    return one;
}

scenario in_order(stage const& on, int threads) {
    scenario one{std::to_string(threads) + " threads, one lock, fair", "cycles/s", true, {}};
    one.floor = "re-entrant, strict";
    one.limits = limits_of_fair_locks;
    auto const where = on.at.tcp();
    one.contenders = {our_threads(on, where, threads, one_for_all(), {.kind = fair},
                                  {at_least(2, "Redisson"), at_most(1.05, figure::spread), no_more_commands()}),
                      our_threads(on, where, threads, one_for_all(), {.title = one.floor, .strict = true}, {})};
    for (auto& other : peer_contenders(on, "shared.fair", threads)) one.contenders.push_back(std::move(other));
    return one;
}

/// What each worker takes and gives back, with the client that all of them share.
using user_maker = std::function<party(client const& shared, std::string const& name)>;

/// The same number of permits as others set: enough for everybody, or few.
user_maker semaphore_of(int permits) {
    return [permits](client const& shared, std::string const& name) -> party {
        auto const keep = std::make_shared<client>(shared);
        auto const one = std::make_shared<semaphore>(keep->get_semaphore(name + ":permits"));
        one->try_set_permits(permits);
        return {[keep, one] { one->acquire(); }, [one] { one->release(); }};
    };
}

user_maker permit_semaphore_of(int count) {
    return [count](client const& shared, std::string const& name) -> party {
        auto const keep = std::make_shared<client>(shared);
        auto const one = std::make_shared<permit_semaphore>(keep->get_permit_semaphore(name + ":leased"));
        one->try_set_permits(count);
        auto const held = std::make_shared<permits>();
        return {[keep, one, held] { *held = one->acquire(); }, [held] { held->release(); }};
    };
}

party three_locks(client const& shared, std::string const& name) {
    auto const keep = std::make_shared<client>(shared);
    std::vector<basic_lock> members;
    for (auto const* const part : {":a", ":b", ":c"}) members.push_back(keep->get_lock(name + part));
    auto const all = std::make_shared<multi_lock>(members);
    auto const held = std::make_shared<multi_hold>();
    return {[keep, all, held] { *held = all->acquire(); }, [held] { held->release(); }};
}

/// Set to one, and counted down to zero.
party latch(client const& shared, std::string const& name) {
    auto const keep = std::make_shared<client>(shared);
    auto const one = std::make_shared<count_down_latch>(keep->get_count_down_latch(name + ":latch"));
    return {[keep, one] { one->try_set_count(1); }, [one] { one->count_down(); }};
}

scenario other_than_locks(stage const& on, std::string const& title, naming const& name,
                          std::string const& peers_know_it_as, user_maker const& make, std::string const& limits) {
    constexpr int threads = 64;
    scenario one{title, "cycles/s", true, {}};
    one.floor = "re-entrant";
    one.limits = limits;
    auto const where = on.at.tcp();
    auto const ours = [=, &at = on.at](std::chrono::milliseconds period) {
        client const user(settings_for(where, {}));
        std::vector<party> workers;
        for (int worker = 0; worker < threads; ++worker) workers.push_back(make(user, name(worker)));
        return run_workers(at, workers, period);
    };
    one.contenders = {contender{"redlatch", ours, {at_least(2, "Redisson, tuned"), no_more_commands()}},
                      our_threads(on, where, threads, name, {.title = one.floor}, {})};
    for (auto& other : peer_contenders(on, peers_know_it_as, threads)) one.contenders.push_back(std::move(other));
    return one;
}

/// A client for each server.
party red_lock_over(std::vector<client> const& shared, std::string const& name) {
    auto const keep = std::make_shared<std::vector<client>>(shared);
    std::vector<basic_lock> members;
    for (auto& one : *keep) members.push_back(one.get_lock(name));
    auto const all = std::make_shared<red_lock>(members);
    auto const held = std::make_shared<multi_hold>();
    return {[keep, all, held] { *held = all->acquire(); }, [held] { held->release(); }};
}

scenario red_locks(stage const& on, int threads) {
    static constexpr std::size_t masters = 3;
    auto const many = std::to_string(threads);
    scenario one{
        many + " threads, " + many + " red locks, " + std::to_string(masters) + " servers", "cycles/s", true, {}};
    one.floor = "re-entrant, one server";
    one.limits = "three locks for each cycle, on three servers that share their cores.";
    started_when_used<measured_servers> const servers([program = on.wanted.server, cores = on.where.server_cores] {
        return std::make_unique<measured_servers>(masters, program, cores);
    });
    one.contenders = {{"redlatch",
                       [servers, threads](std::chrono::milliseconds period) {
                           std::vector<client> users;
                           for (auto const& where : servers.get().places()) users.emplace_back(settings_for(where, {}));
                           std::vector<party> workers;
                           for (int worker = 0; worker < threads; ++worker)
                               workers.push_back(red_lock_over(users, one_each()(worker)));
                           return run_workers(servers.get(), workers, period);
                       },
                       {at_least(2, "Redisson, tuned"), no_more_commands()}},
                      our_threads(on, on.at.tcp(), threads, one_each(), {.title = one.floor}, {})};
    for (auto& other : peer_contenders(on, "own.red", threads, servers)) one.contenders.push_back(std::move(other));
    return one;
}

} // namespace

std::vector<scenario> kinds(stage const& on) {
    constexpr int threads = 64;
    auto const own = [&](std::string const& name, lock_maker const& get) { return own_locks(on, threads, name, get); };
    return {
        own("fenced", [](client& from, std::string const& name) { return from.get_fenced_lock(name); }),
        own("spin", [](client& from, std::string const& name) { return from.get_spin_lock(name); }),
        own("non_reentrant", [](client& from, std::string const& name) { return from.get_non_reentrant_lock(name); }),
        own("fair", fair),
        own("non_reentrant_fair",
            [](client& from, std::string const& name) { return from.get_non_reentrant_fair_lock(name); }),
        own("election", [](client& from, std::string const& name) { return from.get_leader_election(name).lock(); }),
        own("write", [](client& from, std::string const& name) { return from.get_read_write_lock(name).write_lock(); }),
        own("read", read_half),
        own("faster_multi", [](client& from, auto const& name) { return from.get_faster_multi_lock(name, {"value"}); }),
        readers(on, threads),
        in_order(on, 8),
        other_than_locks(on, "64 threads, 64 semaphores", one_each(), "own.semaphore", semaphore_of(1),
                         "both requests are scripts, and a release is told to whoever may listen."),
        other_than_locks(on, "64 threads, one semaphore of 8", one_for_all(), "shared.semaphore", semaphore_of(8),
                         "nothing is handed off within a process: who waits asks right behind a release, as many as "
                         "there are permits."),
        other_than_locks(on, "64 threads, 64 permit semaphores", one_each(), "own.permits", permit_semaphore_of(1),
                         "both requests are scripts that look for leases that are over."),
        other_than_locks(on, "64 threads, one permit semaphore of 8", one_for_all(), "shared.permits",
                         permit_semaphore_of(8), "as of 64 permit semaphores, and of one semaphore."),
        other_than_locks(on, "64 threads, 64 multi locks of 3", one_each(), "own.multi", three_locks,
                         "three locks for each cycle, asked for and given back at the same time."),
        red_locks(on, threads),
        other_than_locks(on, "64 threads, 64 latches", one_each(), "own.latch", latch,
                         "set to one and counted down: two scripts, each told to whoever may listen."),
    };
}

} // namespace redlatch::bench
