#include "options.hpp"

#include <charconv>
#include <cstdio>
#include <string_view>

namespace redlatch::chaos {

namespace {

constexpr char const* help = R"(redlatch_chaos: real faults, and what becomes of locks under them

  --only TEXT   only the scenario of this name; if there is none, those with this in their name
  --redisson    the same faults against Redisson (needs Java and Maven)
  --markdown    the page docs/failure_modes.md in place of one line for each run
  --into FILE   renew the sections of that page that are played now, and leave the others
  --runs N      play each N times, from 1 to 100; figures that differ are told as the least and the greatest
  --keep        keep every history, not only those in which a promise was broken
  --list        the names of the scenarios

Exit status: 0 all promises were kept, 1 not all, 77 everything was skipped, 64 wrong arguments.
)";

bool is_count(std::string_view text) {
    int value = 0;
    auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    return problem == std::errc() && end == text.data() + text.size() && value >= 1 && value <= 100;
}

} // namespace

std::optional<run_options> parse(int count, char** arguments, int& exit_status) {
    run_options result;
    for (int at = 1; at < count; ++at) {
        std::string const word = arguments[at];
        if (word == "--help") {
            std::fputs(help, stdout);
            exit_status = 0;
            return std::nullopt;
        }
        if (word == "--markdown") {
            result.markdown = true;
        } else if (word == "--redisson") {
            result.redisson = true;
        } else if (word == "--list") {
            result.list = true;
        } else if (word == "--keep") {
            result.keep = true;
        } else if (word == "--only" && at + 1 < count) {
            result.only = arguments[++at];
        } else if (word == "--into" && at + 1 < count) {
            result.into = arguments[++at];
        } else if (word == "--runs" && at + 1 < count && is_count(arguments[at + 1])) {
            result.runs = std::stoi(arguments[++at]);
        } else {
            std::fprintf(stderr, "redlatch_chaos: '%s' is unknown or lacks its value\n%s", word.c_str(), help);
            exit_status = 64;
            return std::nullopt;
        }
    }
    return result;
}

} // namespace redlatch::chaos
