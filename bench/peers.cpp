#include "peers.hpp"

#include "measure/affinity.hpp"
#include "measure/spawn.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace redlatch::bench {

namespace {

struct program {
    std::string folder;
    std::vector<peer> contains;
};

std::vector<program> known_programs() {
    std::vector<std::string> const everything{"own", "own_async", "shared", "hand_off", "hold"};
    auto const and_kinds = [](std::vector<std::string> some) {
        some.insert(some.end(),
                    {"own.fenced", "own.spin", "own.non_reentrant", "own.fair", "own.non_reentrant_fair",
                     "own.faster_multi", "own.write", "own.read", "shared.read", "shared.fair", "own.semaphore",
                     "shared.semaphore", "own.permits", "shared.permits", "own.multi", "own.red", "own.latch"});
        return some;
    };
    auto const and_mixes = [](std::vector<std::string> some) {
        some.emplace_back("mix");
        return some;
    };
    std::vector<std::string> const blocking{"own", "shared", "hand_off", "hold"};
    return {
        {"redisson",
         {{"Redisson", {}, {}, and_kinds(and_mixes(everything))},
          {"Redisson, tuned", {}, {"tuned=1"}, and_kinds(everything)}}},
        {"go", {{"redislock", {}, {"library=redislock"}, blocking}, {"redsync", {}, {"library=redsync"}, blocking}}},
        {"rust", {{"rslock", {}, {}, everything}}},
        {"python", {{"redis-py", {}, {}, blocking}}},
        {"redis_plus_plus", {{"RedMutex", {}, {}, blocking}}}};
}

/// The last line that has letters.
std::string last_line(std::string const& file) {
    std::ifstream lines(file);
    std::string last = "no reason given";
    for (std::string text; std::getline(lines, text);)
        if (!text.empty()) last = text;
    return last;
}

bool is_wanted(settings const& wanted, program const& one) {
    if (wanted.peers == "none") return false;
    return wanted.peers == "all" || wanted.peers == one.folder
           || std::ranges::any_of(one.contains, [&](peer const& each) { return each.title == wanted.peers; });
}

} // namespace

bool peer::can(std::string const& scenario) const {
    return std::ranges::find(scenarios, scenario) != scenarios.end();
}

std::vector<std::string> peer::command_for(address const& server, std::vector<std::string> const& more) const {
    auto result = command;
    result.push_back("127.0.0.1:" + std::to_string(server.port));
    result.emplace_back("bench:peer");
    result.insert(result.end(), variant.begin(), variant.end());
    result.insert(result.end(), more.begin(), more.end());
    return result;
}

peers::peers(settings const& wanted) : log_(wanted.peer_builds + "/peers.log") {
    for (auto const& one : known_programs()) {
        if (!is_wanted(wanted, one)) continue;
        auto const output = wanted.peer_builds + "/" + one.folder;
        std::filesystem::create_directories(output);
        auto const log = output + "/build.log";
        std::fprintf(stderr, "peer %s: building, unless it is there\n", one.folder.c_str());
        if (run_command({wanted.peer_sources + "/" + one.folder + "/build.sh", output}, log) != 0) {
            notes_.emplace_back(one.folder, "skipped: " + last_line(log));
            std::fprintf(stderr, "peer %s %s\n", one.folder.c_str(), notes_.back().second.c_str());
            continue;
        }
        notes_.emplace_back(one.folder, last_line(output + "/versions"));
        for (auto each : one.contains) {
            each.command = {output + "/run"};
            if (wanted.peers == "all" || wanted.peers == one.folder || wanted.peers == each.title)
                all_.push_back(std::move(each));
        }
    }
}

std::shared_ptr<peer_process> peers::process(peer const& who, address const& server, int place) {
    auto& process = playing_[{who.title, place}];
    if (!process) {
        process = std::make_shared<peer_process>(who.command_for(server), log_);
        process->sleep();
    }
    return process;
}

void peers::forget(peer const& who) {
    std::erase_if(playing_, [&](auto const& each) { return each.first.first == who.title; });
}

void peers::pin_all(std::vector<int> const& cores) const {
    for (auto const& [which, process] : playing_) pin(process->pid(), cores);
}

} // namespace redlatch::bench
