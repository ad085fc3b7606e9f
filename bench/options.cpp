#include "options.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>

namespace redlatch::bench {

namespace {

constexpr char const* help =
    R"(redlatch_bench: what the locks cost, beside floors (raw loops of the same commands) and other locks on Redis

  --rounds N          interleaved rounds whose median is shown (5)
  --seconds S         length of one round of one contender (0.35, more where fairness is to show)
  --only TEXT         only scenarios with this in their name
  --placement WHICH   apart: server and clients on a core each; together: both on one; free: unpinned (default: all)
  --peers WHICH       all, none, or one: redisson, go, rust, python, redis_plus_plus, or a name from the table (all)
  --json [FILE]       the results as JSON, on stdout in place of the table or in a file beside it
  --markdown [FILE]   likewise, as docs/performance.md
  --large             also what takes minutes and gigabytes: 1,000,000 locks held in a cluster
  --even-if-busy      make the page although something else runs on the machine (otherwise it is refused)
  --tool FILE         the redlatch program (default: the one built beside this one)
  --server PROGRAM    redis-server or valkey-server (redis-server)
)";

} // namespace

std::optional<settings> parse(int argc, char** argv, int& exit_status) {
    settings wanted;
    auto const folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    wanted.floor = folder / "redlatch_run_floor";
    wanted.peer_sources = REDLATCH_BENCH_PEERS;
    wanted.peer_builds = folder / "peers";
    wanted.tool = folder.parent_path() / "cli" / "redlatch";
    std::map<std::string, std::function<void(std::string const&)>> const with_value{
        {"--rounds", [&](std::string const& text) { wanted.rounds = std::stoi(text); }},
        {"--seconds",
         [&](std::string const& text) {
             wanted.period = std::chrono::milliseconds(std::lround(std::stod(text) * 1000));
         }},
        {"--only", [&](std::string const& text) { wanted.only = text; }},
        {"--placement", [&](std::string const& text) { wanted.placement = text; }},
        {"--peers", [&](std::string const& text) { wanted.peers = text; }},
        {"--tool", [&](std::string const& text) { wanted.tool = text; }},
        {"--server", [&](std::string const& text) { wanted.server = text; }},
    };
    exit_status = 64;
    for (int at = 1; at < argc; ++at) {
        std::string const word = argv[at];
        if (word == "--help") {
            std::fputs(help, stdout);
            exit_status = 0;
            return std::nullopt;
        }
        if (word == "--even-if-busy") {
            wanted.even_if_busy = true;
        } else if (word == "--large") {
            wanted.large = true;
        } else if (word == "--json" || word == "--markdown") {
            bool const has_file = at + 1 < argc && argv[at + 1][0] != '-';
            (word == "--json" ? wanted.json : wanted.markdown) = has_file ? argv[++at] : "-";
        } else if (auto const found = with_value.find(word); found != with_value.end() && at + 1 < argc) {
            try {
                found->second(argv[++at]);
            } catch (std::exception const&) {
                std::fprintf(stderr, "redlatch_bench: %s cannot be '%s'\n", word.c_str(), argv[at]);
                return std::nullopt;
            }
        } else {
            std::fprintf(stderr, "redlatch_bench: '%s' is unknown or lacks its value\n%s", word.c_str(), help);
            return std::nullopt;
        }
    }
    if (wanted.rounds < 1 || (wanted.period && wanted.period->count() < 10)) {
        std::fputs("redlatch_bench: at least one round of 0.01 s is needed\n", stderr);
        return std::nullopt;
    }
    if (wanted.markdown && wanted.rounds < 5 && !wanted.even_if_busy) {
        std::fputs("redlatch_bench: a page is made of at least five rounds, of which it shows the median\n", stderr);
        return std::nullopt;
    }
    if (!wanted.placement.empty() && wanted.placement != "apart" && wanted.placement != "together"
        && wanted.placement != "free") {
        std::fputs("redlatch_bench: --placement is apart, together or free\n", stderr);
        return std::nullopt;
    }
    return wanted;
}

} // namespace redlatch::bench
