// Everything that one running scenario consists of, and the book in which facts are written.
#pragma once

#include "sim/check/history.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/world/network.hpp"
#include "sim/world/server_host.hpp"
#include "sim/world/world.hpp"

#include <redlatch/redlatch.hpp>

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::sim {

/// A hold that somebody has not given back.
struct believed_hold {
    int process;
    int worker;
    int lock;
    std::string owner;
    hold_view view;
};

struct actor {
    process* who = nullptr;
    std::optional<client> user{};
    int running = 0;          ///< workers that have not ended
    bool closing = false;     ///< by its own wish, in the midst of everything
    bool closed_well = false; ///< nothing else was wrong then: nothing of it may stay
    bool closed = false;
};

struct stage {
    explicit stage(scenario const& of, bool with_trace);
    ~stage();

    void write(fact one);
    void note(std::string line);
    void see_renewals(tcp_connection const& on, std::string_view bytes);
    static std::string lock_name(int number) { return "lock-" + std::to_string(number); }
    bool all_ended() const;
    bool quiet_now() const noexcept { return faults_left == 0; }

    scenario const& plan;
    bool const traced;
    world universe;
    network net;
    server_host server;
    std::vector<actor> actors;
    std::list<believed_hold> holds;
    history facts;
    std::vector<std::string> trace;
    std::size_t faults_left = 0;
    int faults_now = 0;    ///< but for a client that closes
    moment last_fault{-1}; ///< when one began or ended
    std::uint64_t acquired = 0;

private:
    std::map<int, bool> probed_;
};

/// What a worker does: the body of its fiber.
void work(stage& in, int number, worker const& what);
/// Lets a fault begin; it ends by itself.
void begin_fault(stage& in, fault const& what);

} // namespace redlatch::sim
