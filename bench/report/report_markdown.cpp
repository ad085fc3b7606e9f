#include "report/report.hpp"
#include "report/report_cells.hpp"

namespace redlatch::bench {

namespace {

constexpr char const* introduction = R"(# Performance

This page is the output of `./dev bench --markdown`. The benchmark starts a redis-server of its own on loopback, builds
the peers that this machine has the tools for, and needs about an hour, less with `--only`.
Run it where you want to know; figures of
two machines, or of two days, should not be compared. What else the machine did before is in the first table; of a busy
machine no page is made unless `--even-if-busy` asks for it.

## How to read it

- **Beside each figure of redlatch stands a floor**: a loop that sends the same commands and does nothing else. *raw*
  is a blocking socket with requests that were made before the clock ran; nothing that talks to Redis can be cheaper
  for one thread. *hiredis* is the same as one would write it in C, with hiredis. *pipeline* is one thread and one
  socket for many cycles: what one read brings in is asked next with one write. Floors renew nothing, notice no loss and
  survive no broken connection.
- **plain** and **scripts** are the two sets of commands: RESTORE to take, HDEL and PUBLISH to release; or a Lua script
  each, as Redisson does it. *redlatch* without a further word has its default settings.
- **Peers** are other locks on Redis, from their registries, each in a process of its own that is pinned as ours is and
  stays alive between its rounds, so that a JVM is warm. *Redisson, tuned* has two threads of each kind and a pool of
  eight connections in place of its defaults. Each library is used as its own documentation shows it; pollers poll as
  often as their documentation says. `bench/peers/README.md` has the details.
- **Settling**: threads are made and run for a fifth of a round before anything counts, ours, floors and peers alike. A JVM
  first runs each scenario until a cycle takes no less processor time any more. Commands and CPU time of a peer are those
  of all its cycles, while it settled too: beside many threads the benchmark gets no turn in the moment in which they count.
- **ratio** is a line beside the floor, the line whose ratio is 1. Contenders take turns, and the ratio is the median of
  the ratios within each round; *of the rounds* shows the smallest and the largest. Machines drift: trust the ratios
  more than the figures.
- **Under each table stands what the project promises itself**: ✓ met, ✗ missed, – the other one was not measured; in
  brackets what was seen. Where something is missed and somebody has looked into it, *what limits it* says what a
  profile has shown.
- **p99** is that of an acquisition (of the whole, where the table is about a time).
- **commands** are those that clients sent, for each cycle: the numbers are counted by INFO; which of them scripts have
  called is seen by MONITOR, in a round of its own that is not measured. An uncontended cycle is exactly two with
  scripts, three plain ones of which two are one write. The few hundredths above are what setting up took.
- **server µs**, **client µs**: CPU time for each cycle, of the server (from INFO) and of the client processes (from the
  operating system). These suffer less from other load on the machine than elapsed time does.
- **max/min**: the cycles of the busiest worker beside those of the laziest; 1 is fair.
- Everything is pinned: server and clients to a core each, or all to one. Unpinned figures jump between the two by
  chance; only the hand-off is shown unpinned too. On virtual machines waking another core may cost more than all else
  together; then the first part shows that above all.
- *N threads, one lock* has an empty critical section. Its floor lets the threads queue inside the process, so that only
  one at a time asks the server; *a subscription each* is what happens when they do not. **Here the floor and ours do not
  send the same commands**: the floor takes and releases the key for each cycle (three plain commands, or two scripts);
  ours takes it once and hands it off between the threads, without a command, until its turn is over, which is why
  *commands* is near zero and the ratio far above one. It says what a hand-off is worth, not what the library adds to
  the same commands; the tables of locks of their own say that.
- *8 processes, one lock*: here too the commands differ. The floors ask at each message, with RESTORE or with a
  script; ours does not ask at each message, keeps the lock for some turns, and asks with a script where somebody else
  listens.
- *mix PxT on L, hold H, pause P*: P processes of T threads share L locks, each chosen by Zipf's law where there are several,
  for H µs, with P µs before the next attempt; unpinned. **longest** is the longest wait of the round, one that had not
  ended included; *in rounds* divides it by the time in which each worker could have had one turn. *processes max/min* is
  max/min over the processes. **overlaps** counts in shared memory how often two were inside one lock at once; it is the
  sum over all rounds. Redisson's processes are JVMs, eight at most: 32 and 300 of them are clients in 8 and in 6 JVMs.
  These rounds begin when the rate has settled, after ten seconds at most.
- *mix herd*: as many clients on one lock, hold 1000 µs. *and one thread of Redisson*: its share and its longest wait among
  four processes of two threads; a fifth would be fair among five processes.
- *asynchronous cycles* run on an io_context, the client and the handlers on one thread, with redlatch/asio.hpp where
  Boost is there.
- *hand-off* is the time from just before the release in one client to the moment at which another one, which slept
  until then, has the lock. Ours and the floors are two processes, peers are two clients in one.
- *holding* takes a watchdog shorter than the usual 30 s (20 or 40 times a round, 3 s at least) so that there is
  something to see within seconds; the share of a core is that of the usual one. The other figures are for one renewal
  of one lock. *late* counts how often a hold was suspect or lost once all were held, or keys that were gone at the
  end: with a short watchdog a machine that is busy with something else brings that about, and what is gone costs
  nothing to renew.
  Memory is what the client's process grew by, so a JVM's garbage is in it. Of ours the first tenth is not counted: it
  brings in code, threads and buffers. Each round begins with a process of its own, so here a JVM is as warm as taking
  the locks has made it.
- *run NAME -- true* is the wall time of a whole process, from fork to wait. The server is named in REDLATCH_SERVER; any
  flag costs a parser more, as the line below it shows.
)";

std::string markdown_row(std::vector<std::string> const& texts) {
    std::string result = "|";
    for (auto const& text : texts) result += " " + text + " |";
    return result + "\n";
}

std::string markdown_of(table const& all) {
    std::string text = markdown_row(all.headings) + "|---|";
    for (std::size_t column = 1; column < all.headings.size(); ++column) text += "--:|";
    text += "\n";
    for (auto const& row : all.rows) text += markdown_row(row);
    return text;
}

std::string period_of(report const& all) {
    return all.period ? std::to_string(all.period->count()) + " ms" : "350 ms, of 1 to 4 s where many share a lock";
}

} // namespace

std::string as_markdown(report const& all) {
    std::string text = introduction;
    text += "\n## Where and with what\n\n|  |  |\n|---|---|\n";
    for (auto const& [key, value] : all.surroundings) text += markdown_row({key, value});
    text += markdown_row({"rounds", std::to_string(all.rounds) + " of " + period_of(all)});
    std::string placement;
    for (auto const& one : all.results) {
        if (one.placement != placement) {
            placement = one.placement;
            text += "\n## " + placement_title(placement) + "\n";
        }
        text += "\n" + markdown_of(table_of(one));
        auto const remarks = remarks_of(one);
        if (!remarks.empty()) text += "\n";
        for (auto const& remark : remarks) text += "- " + remark + "\n";
    }
    return text;
}

} // namespace redlatch::bench
