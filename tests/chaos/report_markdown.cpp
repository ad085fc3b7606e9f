#include "page.hpp"
#include "report.hpp"

#include <algorithm>

namespace redlatch::chaos {

namespace {

constexpr char const* head = R"(# Failure modes

This page is the output of `./dev chaos --redisson --markdown`; sections that were played by themselves say so, and are
the output of `./dev chaos --redisson --only NAME --into FILE`. Each fault below was made, on real processes, servers and
packets, and what became of the locks was recorded. It says what you may rely on ([guarantees](guarantees.md)) and what it
costs when things break. Every `./dev test` makes some of these faults and fails when a promise is broken.
)";

constexpr char const* how_to_read = R"(## How to read it

- **Setting**: one lock; a watchdog lease of 3 s, renewed each second; validity ends 0.2 s before the key can expire; clients
  lose patience with a silent server after 0.5 s and probe idle connections each second. With the defaults (lease 30 s, patience
  3 s) the times below grow in proportion. Redisson has the same lease, patience and probe, and else its defaults. Where a
  replica is elected, by Sentinels, in a cluster or of replicated servers, the lease is 6 s; both ask every second how the
  servers are arranged; Sentinels take a master for lost that is silent for 0.5 s, nodes of a cluster for 1 s.
- Either **one holder** is inside a section without an end while two threads of another process **wait**; or several
  processes **contend** with sections of 3 ms.
- A cell with two values, **0 to 1**, has the least and the greatest of several runs.
- **fault lasted**: from its beginning until it was undone; where a replica is elected, until that takes writes.
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
  section is told to end one and a half leases after the fault, so its times to notice say no more than that. With
  independent masters it plays its `RedissonRedLock`, which is deprecated, and whose `unlock()` never throws: no loss shows.
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
    case scenario::where::replicated: return "Replicated servers";
    case scenario::where::master_slave: return "Master and replica";
    case scenario::where::clocks: return "Clocks";
    case scenario::where::independent: return "Independent masters";
    }
    return "";
}

std::string row(std::vector<std::string> const& texts) {
    std::string result = "|";
    for (auto const& text : texts) result += " " + text + " |";
    return result + "\n";
}

/// How long the fault lasts is a result where a replica is elected; elsewhere it is in the words of the fault.
bool duration_is_figure(scenario::where group) {
    return group == scenario::where::sentinel || group == scenario::where::cluster;
}

std::vector<std::string> columns(scenario::where group) {
    std::vector<std::string> result{"fault", "promised", ""};
    if (duration_is_figure(group)) result.emplace_back("fault lasted");
    for (auto const* name : {"lost", "noticed after", "ahead of expiry", "back after", "longest wait", "missed",
                             "failed", "two at once", "verdict"})
        result.emplace_back(name);
    return result;
}

std::string header(scenario::where group) {
    auto const names = columns(group);
    std::string rule = "|---|---|---|";
    for (std::size_t i = 3; i + 1 < names.size(); ++i) rule += "--:|";
    return row(names) + rule + "---|\n";
}

std::string row_of(result const& one, bool first) {
    auto const& what = *one.of;
    std::vector<std::string> texts{first ? "**" + what.name + "**: " + what.done : "", first ? what.promised : "",
                                   name_of(one.by)};
    if (!one.skipped.empty()) {
        texts.resize(columns(what.group).size() - 1);
        texts.push_back("not run: " + one.skipped);
        return row(texts);
    }
    if (duration_is_figure(what.group)) texts.push_back(fault_cell(one));
    auto const more = cells(one);
    texts.insert(texts.end(), more.begin(), more.end());
    texts.push_back(verdict_text(one));
    return row(texts);
}

std::vector<page_section> sections_of(std::vector<result> const& all, std::string const& beginning) {
    std::vector<page_section> sections;
    scenario const* last = nullptr;
    for (auto const& one : all) {
        auto const group = one.of->group;
        if (last == nullptr || last->group != group) {
            auto const name = title(group);
            sections.push_back({name, "## " + name + "\n\n" + beginning + header(group)});
        }
        sections.back().text += row_of(one, last != one.of);
        last = one.of;
    }
    return sections;
}

std::string described(surroundings const& where, std::size_t runs) {
    std::string text =
        "Played by itself, each fault " + std::to_string(runs) + (runs == 1 ? " time" : " times") + ", with ";
    for (auto const& [key, value] : where)
        text += key + " " + value + (&value == &where.back().second ? ".\n\n" : ", ");
    return text;
}

std::string table_of(surroundings const& where) {
    std::string text = "## Where and with what\n\n|  |  |\n|---|---|\n";
    for (auto const& [key, value] : where) text += row({key, value});
    return text;
}

} // namespace

std::string as_markdown(std::vector<result> const& all, surroundings const& where) {
    std::vector<page_section> sections{{"", how_to_read}, {"", table_of(where)}};
    for (auto& each : sections_of(all, {})) sections.push_back(std::move(each));
    std::string text = head;
    for (auto const& each : sections) text += "\n" + each.text;
    return text;
}

std::string renewed_markdown(std::string const& page, std::vector<result> const& some, surroundings const& where) {
    std::size_t runs = 0;
    for (auto const& each : some) runs = std::max(runs, each.runs.size());
    auto sections = sections_of(some, described(where, runs));
    sections.insert(sections.begin(), {"How to read it", how_to_read});
    return with_sections(page, head, sections);
}

} // namespace redlatch::chaos
