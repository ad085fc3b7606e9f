// Plays the scenarios, one after the other, each with a server and workers of its own.
#include "faketime.hpp"
#include "network.hpp"
#include "options.hpp"
#include "report.hpp"
#include "stall_watch.hpp"
#include "support/in_ci.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace redlatch::chaos {

namespace {

constexpr int all_skipped = 77;

/// Times that were measured meanwhile say nothing of locks.
constexpr milliseconds longest_stall{150};

/// Empty: it can be played.
std::string why_not(scenario const& one, network const& net) {
    if (one.needed == scenario::needs::own_network && !net.own) return net.reason;
    if (one.needed == scenario::needs::fake_clock) {
        if (fake_clock::library().empty()) return "libfaketime is missing (package faketime)";
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        return "a sanitizer wants to be preloaded first";
#endif
    }
    return {};
}

/// For those who want to know what happened.
void keep(result const& one, history const& events) {
    auto name = one.of->name + "-" + name_of(one.by);
    std::replace_if(
        name.begin(), name.end(), [](char letter) { return letter == ' ' || letter == '\''; }, '-');
    auto const file = std::filesystem::temp_directory_path() / ("redlatch-chaos-" + name + ".history");
    std::ofstream lines(file);
    for (auto const& each : events) lines << to_line(each);
    std::fprintf(stderr, "redlatch_chaos: its history is in %s\n", file.c_str());
}

one_run play_once(result const& made, programs const& with, bool keep_all) {
    auto const& one = *made.of;
    one_run now;
    try {
        stage at({.of = made.by,
                  .with = with,
                  .servers = one.servers ? one.servers() : std::make_unique<one_server>(one.server, one.behind_proxy),
                  .lease = one.lease,
                  .replicas = one.replicas});
        one.act(at);
        auto const run = at.finish();
        now.seen = figures_of(run.events, margin());
        now.broken = judge(run, now.seen, one.expected, made.by == library::redlatch);
        if (keep_all || !now.broken.empty()) keep(made, run.events);
    } catch (no_election const& problem) {
        now.broken = {{"election", problem.what()}};
    } catch (std::exception const& problem) {
        now.broken = {{"run", problem.what()}};
    }
    return now;
}

/// Again where the machine stood still and only times were wrong.
one_run play_undisturbed(result const& made, programs const& with, bool keep_all) {
    one_run now;
    for (int attempt = 1; attempt <= 3; ++attempt) {
        stall_watch const watch;
        now = play_once(made, with, keep_all);
        bool const stood_still = watch.longest_us() > std::chrono::microseconds(longest_stall).count();
        if (now.broken.empty() || !only_about_time(now.broken) || !stood_still) break;
        std::fprintf(stderr, "redlatch_chaos: %s: the machine stood still for %s; played again\n",
                     made.of->name.c_str(), duration_text(watch.longest_us()).c_str());
    }
    return now;
}

result play(scenario const& one, library by, programs const& with, network const& net, run_options const& wanted) {
    result made{.of = &one, .by = by, .skipped = why_not(one, net)};
    if (!made.skipped.empty()) {
        if (test::in_ci() && net.should_work && one.needed == scenario::needs::own_network)
            made.runs.push_back({.broken = {{"tools", "CI must have them: " + made.skipped}}});
        return made;
    }
    for (int i = 0; i < wanted.runs; ++i) made.runs.push_back(play_undisturbed(made, with, wanted.keep));
    return made;
}

/// Before this process has threads and a network of its own: Maven may want to download.
std::string built_java_peer() {
    std::string const command = std::string(REDLATCH_BUILD_PEER) + " " + REDLATCH_PEER_CLASSES;
    if (std::system(command.c_str()) != 0) throw std::runtime_error("the Java peer cannot be built"); // NOLINT
    return REDLATCH_PEER_CLASSES;
}

/// The sections of a page that were played now.
void renew(std::string const& file, std::vector<result> const& results, surroundings const& where) {
    std::ostringstream old;
    old << std::ifstream(file).rdbuf();
    auto const page = renewed_markdown(old.str(), results, where);
    std::ofstream out(file);
    if (!(out << page).flush()) throw std::runtime_error(file + " cannot be written");
}

using selection = std::vector<scenario const*>;

/// The one of this name, else those whose name contains it.
selection chosen_of(std::vector<scenario> const& all, std::string const& text) {
    selection exact;
    selection containing;
    for (auto const& each : all) {
        if (each.name == text) exact.push_back(&each);
        if (each.name.find(text) != std::string::npos) containing.push_back(&each);
    }
    return exact.empty() ? containing : exact;
}

/// Empty: the sections of these can be renewed.
std::string why_not_into(run_options const& wanted, std::vector<scenario> const& all, selection const& chosen) {
    if (!std::filesystem::is_regular_file(wanted.into))
        return "--into needs a page, and '" + wanted.into + "' is no file";
    for (auto const& each : all) {
        auto const same_section = [&](scenario const* other) { return other->group == each.group; };
        bool const left_out = std::find(chosen.begin(), chosen.end(), &each) == chosen.end();
        if (left_out && std::any_of(chosen.begin(), chosen.end(), same_section))
            return "--into renews whole sections, and '" + each.name + "' is not in --only '" + wanted.only + "'";
    }
    return {};
}

int run(run_options const& wanted) {
    auto const scenarios = all_scenarios();
    if (wanted.list) {
        for (auto const& each : scenarios) std::printf("%s\n", each.name.c_str());
        return 0;
    }
    auto const chosen = chosen_of(scenarios, wanted.only);
    if (chosen.empty()) {
        std::fprintf(stderr, "redlatch_chaos: no scenario has '%s' in its name; see --list\n", wanted.only.c_str());
        return 64;
    }
    if (auto const problem = wanted.into.empty() ? std::string() : why_not_into(wanted, scenarios, chosen);
        !problem.empty()) {
        std::fprintf(stderr, "redlatch_chaos: %s\n", problem.c_str());
        return 64;
    }
    programs with{.worker = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "chaos_worker"};
    if (wanted.redisson) with.java_classes = built_java_peer();
    auto const net = enter_own_network();
    auto const where = surroundings_of_run(with);
    std::vector<result> results;
    for (auto const* each : chosen) {
        for (auto const by : {library::redlatch, library::redisson}) {
            if (by == library::redisson && (!wanted.redisson || !each->redisson)) continue;
            results.push_back(play(*each, by, with, net, wanted));
            // The page goes to stdout at the end; whoever waits wants to see that something happens.
            std::fprintf(wanted.markdown ? stderr : stdout, "%s\n", as_text(results.back()).c_str());
            std::fflush(stdout);
        }
    }
    if (wanted.markdown) std::fputs(as_markdown(results, where).c_str(), stdout);
    if (!wanted.into.empty()) renew(wanted.into, results, where);
    auto const ours_broken = [](result const& one) { return one.by == library::redlatch && !one.kept(); };
    if (std::any_of(results.begin(), results.end(), ours_broken)) return 1;
    auto const skipped = [](result const& one) { return !one.skipped.empty(); };
    return std::all_of(results.begin(), results.end(), skipped) ? all_skipped : 0;
}

} // namespace

} // namespace redlatch::chaos

int main(int count, char** arguments) {
    int exit_status = 0;
    auto const wanted = redlatch::chaos::parse(count, arguments, exit_status);
    if (!wanted) return exit_status;
    std::signal(SIGPIPE, SIG_IGN); // a worker that has died is noticed when it is asked
    try {
        return redlatch::chaos::run(*wanted);
    } catch (std::exception const& problem) {
        std::fprintf(stderr, "redlatch_chaos: %s\n", problem.what());
        return 70;
    }
}
