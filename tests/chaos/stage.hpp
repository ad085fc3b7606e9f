// Where a scenario is played: the servers, the workers, and the runner's own line in the history.
//
//     stage at{...};
//     auto& holder = at.holder();         // inside, in a section without an end
//     at.waiters();                       // and others who wait for it
//     at.fault([&] { at.kill(holder); }); // begins now
//     at.healed();
//     auto const seen = at.finish();      // everybody gets the lock again, ends, and leaves nothing behind
#pragma once

#include "checks.hpp"
#include "history.hpp"
#include "one_server.hpp"
#include "support/temporary_folder.hpp"
#include "topology.hpp"
#include "worker_process.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace redlatch::chaos {

struct stage_options {
    library of = library::redlatch;
    programs with{};
    std::unique_ptr<topology> servers{};
    milliseconds lease = worker_settings{}.watchdog;
    int replicas = 0; ///< that have to confirm a lock (worker_settings)
};

class stage {
public:
    explicit stage(stage_options options);
    ~stage();

    /// The servers, in the arrangement that the scenario has asked for; else std::bad_cast.
    template <class Topology> Topology& on() { return dynamic_cast<Topology&>(*options_.servers); }

    // Of one server alone.
    test::redis_server& server() { return on<one_server>().server(); }
    test::byte_proxy& proxy() { return on<one_server>().proxy(); }
    test::raw_client admin() { return on<one_server>().admin(); }

    static constexpr char const* lock = "chaos";
    library of() const noexcept { return options_.of; }

    worker_process& holder(std::vector<std::string> environment = {});
    worker_process& waiters();
    worker_process& more_waiters();
    /// Workers that contend with short sections, and have entered.
    void traffic(int processes, int threads);

    void fault(std::function<void()> const& act);
    /// The last of the fault is undone (or it needs no undoing).
    void healed();
    /// The length of a fault.
    static void during(milliseconds length);

    void kill(worker_process& who);
    void stop(worker_process& who);
    void go_on(worker_process& who);
    std::vector<std::unique_ptr<worker_process>>& workers() noexcept { return workers_; }

    struct outcome {
        history events;
        violations problems; ///< that only the runner sees: who did not come back, what did not end
    };
    outcome finish();

    static worker_settings base_settings();

private:
    worker_process& waiting(std::string const& name);
    worker_process& start(worker_settings settings, std::vector<std::string> environment = {});
    void note(kind what, std::string const& who = "runner", std::string const& text = {});
    void wait_for_the_holder();
    void wait_for_all_to_enter(std::int64_t since);
    void end_all();
    void look_for_keys();
    bool hold_is_over(worker_process& who);
    bool somebody_is_back();

    stage_options options_;
    test::temporary_folder folder_;
    std::vector<std::unique_ptr<worker_process>> workers_;
    history own_;
    violations problems_;
    std::int64_t healed_at_ = 0;
};

} // namespace redlatch::chaos
