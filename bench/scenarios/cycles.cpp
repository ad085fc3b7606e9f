#include "floor/fifo_queue.hpp"
#include "floor/hiredis_locker.hpp"
#include "floor/raw_locker.hpp"
#include "floor/waiting_locker.hpp"
#include "scenarios/scenarios.hpp"
#include "workers.hpp"

#include <redlatch/client.hpp>

#include <memory>

namespace redlatch::bench {

namespace {

enum class names { own, shared };

std::string name_for(int worker, names which) {
    return which == names::own ? "bench:" + std::to_string(worker) : "bench:shared";
}

/// One client for all the threads.
contender ours(server const& at, settings const& wanted, address const& where, int threads, names which,
               std::optional<double> aim) {
    return {"redlatch",
            [=, &at] {
                client locks{config{.address = where.uri()}};
                std::vector<cycle> workers;
                for (int worker = 0; worker < threads; ++worker)
                    workers.push_back([lock = locks.get_lock(name_for(worker, which))]() mutable {
                        hold held = lock.acquire();
                        held.release();
                    });
                return run_workers(at, std::move(workers), wanted.period);
            },
            aim};
}

contender with_hiredis(server const& at, settings const& wanted, address const& where) {
    return {"hiredis loop", [=, &at] {
                auto const locker = std::make_shared<hiredis_locker>(where, "bench:0", "hiredis:1");
                return run_workers(at, {[=] {
                                       locker->acquire();
                                       locker->release();
                                   }},
                                   wanted.period);
            }};
}

contender a_connection_each(server const& at, settings const& wanted, address const& where, int threads,
                            std::string const& title) {
    return {title, [=, &at] {
                std::vector<cycle> workers;
                for (int worker = 0; worker < threads; ++worker)
                    workers.push_back([locker = std::make_shared<raw_locker>(where, name_for(worker, names::own),
                                                                             "raw:" + std::to_string(worker))] {
                        locker->try_acquire();
                        locker->release();
                    });
                return run_workers(at, std::move(workers), wanted.period);
            }};
}

contender queued_in_process(server const& at, settings const& wanted, address const& where, int threads) {
    return {"raw sockets behind a queue", [=, &at] {
                auto const queue = std::make_shared<fifo_queue>();
                std::vector<cycle> workers;
                for (int worker = 0; worker < threads; ++worker)
                    workers.push_back([queue, locker = std::make_shared<raw_locker>(where, name_for(0, names::shared),
                                                                                    "raw:" + std::to_string(worker))] {
                        queue->enter();
                        locker->try_acquire();
                        locker->release();
                        queue->leave();
                    });
                return run_workers(at, std::move(workers), wanted.period);
            }};
}

contender each_for_itself(server const& at, settings const& wanted, address const& where, int threads) {
    return {"raw, a subscription each", [=, &at] {
                std::vector<cycle> workers;
                for (int worker = 0; worker < threads; ++worker)
                    workers.push_back([locker = std::make_shared<waiting_locker>(where, name_for(0, names::shared),
                                                                                 "raw:" + std::to_string(worker))] {
                        locker->acquire();
                        locker->release();
                    });
                return run_workers(at, std::move(workers), wanted.period);
            }};
}

} // namespace

std::vector<scenario> cycles(server const& at, settings const& wanted) {
    std::string const unit = "cycles/s";
    std::vector<scenario> result;
    for (auto const& [title, where] :
         {std::pair{"one thread, TCP", at.tcp()}, std::pair{"one thread, Unix socket", at.unix_socket()}})
        result.push_back({title,
                          unit,
                          true,
                          1,
                          {ours(at, wanted, where, 1, names::own, 0.9), with_hiredis(at, wanted, where),
                           a_connection_each(at, wanted, where, 1, "raw socket")}});
    for (auto const& [threads, aim] : {std::pair<int, std::optional<double>>{8, std::nullopt}, {64, 1.2}})
        result.push_back({std::to_string(threads) + " threads, " + std::to_string(threads) + " locks",
                          unit,
                          true,
                          1,
                          {ours(at, wanted, at.tcp(), threads, names::own, aim),
                           a_connection_each(at, wanted, at.tcp(), threads, "raw, a connection each")}});
    result.push_back({"8 threads, one lock",
                      unit,
                      true,
                      1,
                      {ours(at, wanted, at.tcp(), 8, names::shared, std::nullopt),
                       queued_in_process(at, wanted, at.tcp(), 8), each_for_itself(at, wanted, at.tcp(), 8)}});
    return result;
}

} // namespace redlatch::bench
