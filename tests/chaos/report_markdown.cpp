#include "report.hpp"

namespace redlatch::chaos {

namespace {

constexpr char const* introduction = R"(# Failure modes

This page is the output of `./dev chaos --redisson --markdown`: each fault below was made, on real processes, servers and
packets, and what became of the locks was recorded. It says what you may rely on ([guarantees](guarantees.md)) and what it costs
when things break. Every `./dev test` makes some of these faults and fails when a promise is broken.

## How to read it

- **Setting**: one lock; a watchdog lease of 3 s, renewed each second; validity ends 0.2 s before the key can expire; clients
  lose patience with a silent server after 0.5 s and probe idle connections each second. With the defaults (lease 30 s, patience
  3 s) the times below grow in proportion. Redisson has the same lease, patience and probe, and else its defaults.
- Either **one holder** is inside a section without an end while two threads of another process **wait**; or several
  processes **contend** with sections of 3 ms.
- **lost**: holds that their holders lost. **noticed after**: from the beginning of the fault (of a process that was
  stopped: from its waking) until the holder knew. **ahead of expiry**: how long before the key can expire the holder was
  told; this is what keeps two from working at once.
- **back after**: from the end of the fault until the next one is inside, or until the surviving hold is renewed.
- **longest wait**: the longest time during which somebody wanted the lock and nobody was inside, the fault included.
- **missed**: releases after which a waiter stood for more than a quarter of a second: its message was lost, or there was
  no server to carry it.
- **failed**: acquisitions and releases that ended with an error of the connection or the server. Deadlines that passed,
  and losses, are not counted here.
- **two at once**: pairs of critical sections that overlapped while the holds of both said that they were valid, and for
  how long in all. Decided from the processes' own records, by their times and, independently, by a counter in shared
  memory that every section reads and writes. For redlatch anything but 0 breaks a promise, except where the server
  itself forgets.
- **verdict**: whether redlatch kept what is promised in the row. Also checked each time: a wait with a deadline ends at it;
  nobody is left waiting; every thread gets the lock again; no key is left.
- **Redisson** is asked the same questions and held to no promise of ours. Its holders cannot look at their validity and
  are not told of a loss: they count as inside from `lock()` to `unlock()`, as programs are written with it, and a loss
  shows when `unlock()` throws. When it throws for another reason the worker goes on, as most programs would. Here the
  section is told to end one and a half leases after the fault, so its times to notice say no more than that.
)";

std::string title(scenario::where group) {
    switch (group) {
    case scenario::where::processes: return "Processes";
    case scenario::where::servers: return "Servers";
    case scenario::where::connections: return "Connections";
    case scenario::where::network: return "Packets";
    case scenario::where::failover: return "Failover";
    case scenario::where::sentinel: return "Sentinel";
    case scenario::where::cluster: return "Cluster";
    case scenario::where::clocks: return "Clocks";
    }
    return "";
}

std::string row(std::vector<std::string> const& texts) {
    std::string result = "|";
    for (auto const& text : texts) result += " " + text + " |";
    return result + "\n";
}

std::string row_of(result const& one, bool first) {
    auto const& what = *one.of;
    std::vector<std::string> texts{first ? "**" + what.name + "**: " + what.done : "", first ? what.promised : "",
                                   name_of(one.by)};
    if (!one.skipped.empty()) {
        texts.insert(texts.end(), {"", "", "", "", "", "", "", "", "not run: " + one.skipped});
        return row(texts);
    }
    auto const more = cells(one);
    texts.insert(texts.end(), more.begin(), more.end());
    texts.push_back(verdict_text(one));
    return row(texts);
}

} // namespace

std::string as_markdown(std::vector<result> const& all, surroundings const& where) {
    std::string text = introduction;
    text += "\n## Where and with what\n\n|  |  |\n|---|---|\n";
    for (auto const& [key, value] : where) text += row({key, value});
    scenario const* last = nullptr;
    for (auto const& one : all) {
        if (last == nullptr || last->group != one.of->group) {
            text += "\n## " + title(one.of->group) + "\n\n";
            text += row({"fault", "promised", "", "lost", "noticed after", "ahead of expiry", "back after",
                         "longest wait", "missed", "failed", "two at once", "verdict"});
            text += "|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|\n";
        }
        text += row_of(one, last != one.of);
        last = one.of;
    }
    return text;
}

} // namespace redlatch::chaos
