#include "scenarios/contenders.hpp"

#include "floor/raw_locker.hpp"
#include "measure/workers.hpp"

#include <memory>

namespace redlatch::bench {

naming one_each() {
    return [](int worker) { return "bench:" + std::to_string(worker); };
}

naming one_for_all() {
    return [](int) { return std::string("bench:shared"); };
}

config settings_for(address const& where, our_way const& way) {
    config result{.address = where.uri()};
    result.commands = way.commands;
    result.local_handoff.strict = way.strict;
    return result;
}

party ours(client const& locks, std::string const& name, bool detached, lock_maker const& kind) {
    auto const held = std::make_shared<hold>();
    auto const keep = std::make_shared<client>(locks);
    auto const lock = std::make_shared<basic_lock>(kind(*keep, name));
    if (detached)
        return {[=] { *held = lock->acquire(); },
                [=] {
                    held->release_detached();
                    (void)keep;
                }};
    return {[=] { *held = lock->acquire(); },
            [=] {
                held->release();
                (void)keep;
            }};
}

measurement run_our_threads(work_meter const& servers, config const& settings, int threads, naming const& name,
                            our_way const& way, std::chrono::milliseconds period) {
    client const locks(settings);
    std::vector<party> workers;
    for (int worker = 0; worker < threads; ++worker)
        workers.push_back(ours(locks, name(worker), way.detached, way.kind));
    return run_workers(servers, workers, period);
}

contender our_threads(stage const& on, address const& where, int threads, naming const& name, our_way const& way,
                      std::vector<aim> aims) {
    return {way.title,
            [=, &at = on.at](std::chrono::milliseconds period) {
                return run_our_threads(at, settings_for(where, way), threads, name, way, period);
            },
            std::move(aims)};
}

contender raw_threads(stage const& on, std::string const& title, address const& where, form which, int threads,
                      naming const& name) {
    return {title + ", " + name_of(which), [=, &at = on.at](std::chrono::milliseconds period) {
                std::vector<party> workers;
                for (int worker = 0; worker < threads; ++worker) {
                    auto const locker =
                        std::make_shared<raw_locker>(where, which, name(worker), "raw:" + std::to_string(worker));
                    workers.push_back({[=] { locker->acquire(); }, [=] { locker->release(); }});
                }
                return run_workers(at, workers, period);
            }};
}

} // namespace redlatch::bench
