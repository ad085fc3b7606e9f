#include "report.hpp"
#include "report_cells.hpp"

namespace redlatch::bench {

namespace {

constexpr char const* introduction = R"(# Performance

This page is the output of `./dev bench --markdown`. The benchmark starts a redis-server of its own on loopback and
needs about two minutes. Run it where you want to know; figures of two machines, or of two days, should not be
compared.

## How to read it

- **Beside each figure of redlatch stands a floor**: a loop that sends the same scripts and does nothing else. *raw*
  is a blocking socket with requests that were made before the clock ran; nothing that talks to Redis can be cheaper
  for one thread. *hiredis* is the same as one would write it in C, with hiredis. Floors renew nothing, notice no loss
  and survive no broken connection.
- **ratio** is redlatch (or another line) beside the floor, the line whose ratio is 1. Contenders take turns, and the
  ratio is the median of the ratios within each round; *of the rounds* shows the smallest and the largest. Machines
  drift: trust the ratios more than the figures.
- **aim** is what the project promises itself; ✓ met, ✗ missed.
- **commands** are those that clients sent, for each cycle. An uncontended lock and unlock is exactly two: a script
  each. The few hundredths above it are scripts that were loaded and connections that were set up.
- **server µs**, **client µs**: CPU time for each cycle, of the server (from INFO) and of the client processes (from
  getrusage). These suffer less from other load on the machine than elapsed time does.
- **max/min**: the cycles of the busiest thread beside those of the laziest; 1 is fair.
- Everything is pinned: server and clients to a core each, or all to one. Unpinned figures jump between the two by
  chance. On virtual machines waking another core may cost more than all else together; then the first half shows that
  above all.
- *8 threads, one lock* has an empty critical section. Its floor lets the threads queue inside the process, so that
  only one at a time asks the server; *a subscription each* is what happens when they do not.
- *hand-over* is the time from just before the release in one process to the moment at which another one, which slept
  until then, has the lock.
- *run NAME -- true* is the wall time of a whole process, from fork to wait. The server is named in REDLATCH_SERVER; any
  flag costs a parser more, as the line below it shows.
)";

std::string markdown_row(std::vector<std::string> const& texts) {
    std::string result = "|";
    for (auto const& text : texts) result += " " + text + " |";
    return result + "\n";
}

} // namespace

std::string as_markdown(report const& all) {
    std::string text = introduction;
    text += "\n## Where and with what\n\n|  |  |\n|---|---|\n";
    for (auto const& [key, value] : all.surroundings) text += markdown_row({key, value});
    text += markdown_row({"rounds", std::to_string(all.rounds) + " of " + std::to_string(all.period.count()) + " ms"});
    std::string placement;
    for (auto const& one : all.results) {
        if (one.placement != placement) {
            placement = one.placement;
            text += "\n## " + placement_title(placement) + "\n";
        }
        text += "\n" + markdown_row(headings(one)) + "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
        for (auto const& each : one.lines) text += markdown_row(cells(one, each));
    }
    return text;
}

} // namespace redlatch::bench
