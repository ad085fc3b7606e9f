"""Runs redlatch_bench for a moment, without peers, and checks that all its lines have their numbers: check_run.py PROGRAM"""

import json
import math
import os
import subprocess
import sys
import tempfile

PINNED = {
    "one thread, TCP",
    "one thread, Unix socket",
    "8 threads, 8 locks",
    "64 threads, 64 locks",
    "256 threads, 256 locks",
    "64 asynchronous cycles in flight",
    "256 asynchronous cycles in flight",
    "8 threads, one lock",
    "64 threads, one lock",
    "8 processes, one lock", "8 processes, one lock, fair",
    "hand-off between two clients",
}
# Where nobody is pinned, or there is one core alone.
MIXES = {
    "mix 4x1 on 1, hold 500, pause 500",
    "mix 8x2 on 16 zipf 1.2, hold 2000, pause 500",
    "mix 3x3 on 1, hold 5000, pause 2000",
    "mix 4x8 on 64 zipf 1.0, hold 200, pause 0",
    "mix 8x1 on 1, hold 0, pause 0",
    "mix 2x1 on 1, hold 0, pause 0",
    "mix 4x1 on 1, hold 20, pause 20",
    "mix 32x1 on 1, hold 50, pause 0",
    "mix herd",
}
# With the tool, and once.
TOOL = {"run NAME -- true, TCP", "run NAME -- true, Unix socket"}
OTHER_KINDS = ("fenced", "spin", "non_reentrant", "fair", "non_reentrant_fair", "election", "write", "read", "faster_multi")
KINDS = {f"64 threads, 64 locks, {kind}" for kind in OTHER_KINDS} | {"64 threads, one lock, read", "8 threads, one lock, fair",
                                                               "64 threads, 64 semaphores",
                                                               "64 threads, one semaphore of 8",
                                                               "64 threads, 64 permit semaphores",
                                                               "64 threads, one permit semaphore of 8",
                                                               "64 threads, 64 multi locks of 3",
                                                               "64 threads, 64 red locks, 3 servers", "64 threads, 64 latches"}
# With certificates, for which OpenSSL has to be there.
TLS = "64 threads, 64 locks, TLS"
ARRANGEMENTS = {"64 threads, 64 locks, cluster of 3", TLS}
ONCE = {"holding 10000 locks", "holding 100000 locks", "a client that holds a lock"} | KINDS | ARRANGEMENTS
SCALE = {
    "scale: 100000 calls abandoned, how late",
    "scale: end of a thread beside 100000 holds of others",
    "scale: 100000 waiters of one process for one lock",
}
PEERS = ("Redisson", "Redisson, tuned", "rslock")


def expected():
    if len(os.sched_getaffinity(0)) == 1:
        return {"together": PINNED | TOOL | ONCE | SCALE | MIXES}
    return {
        "apart": PINNED | TOOL | ONCE | SCALE,
        "together": PINNED | TOOL,
        "free": MIXES | {"hand-off between two clients"},
    }


def is_number(value):
    return isinstance(value, (int, float)) and math.isfinite(value)


def may_be_nothing(result, figure):
    """Threads that hand a lock off among themselves say nothing to the server."""
    return result["scenario"].endswith("threads, one lock") and figure in ("commands", "server_cpu_us")


def wanted_figures(result, line):
    """What every line of such a table must have; most of it above zero."""
    if result["scenario"].startswith("scale: "):
        return ["value"]  # a time within this process
    wanted = ["value", "client_cpu_us"]
    name = line["name"]
    if result["unit"] == "cycles/s":
        wanted += ["ratio", "ratio_low", "ratio_high", "commands", "server_cpu_us"]
        if not name.startswith("one pipeline"):
            wanted += ["p50", "p99"]
        if not result["scenario"].startswith("one thread") and "in flight" not in result["scenario"]:
            wanted.append("spread")
    if result["unit"] == "acquisitions/s":
        wanted += ["longest_wait_ms", "process_spread", "spread", "commands", "server_cpu_us"]
    if result["unit"] in ("µs", "ms"):
        wanted += ["ratio", "p99", "server_cpu_us"]
        if name not in ("true alone", "flock FILE true"):
            wanted.append("commands")
    if result["unit"] == "MB":
        wanted += ["commands", "connections"]
    if result["unit"] == "% of a core":
        wanted += ["commands", "server_cpu_us", "lock_bytes"]
    return wanted


def place_of(result):
    return f"{result['placement']}: {result['scenario']}"


def missing_figures(result):
    for line in result["lines"]:
        for figure in wanted_figures(result, line):
            least = 0 if may_be_nothing(result, figure) else sys.float_info.min
            if not is_number(line[figure]) or line[figure] < least:
                yield f"{place_of(result)}: {line['name']}: {figure} is {line[figure]}"


def problems_of(result):
    """What is wrong with a table, however short the measurement."""
    where = place_of(result)
    if len(result["lines"]) < 1 or result["notes"]:
        yield f"{where}: {len(result['lines'])} lines, left out: {result['notes']}"
    for line in result["lines"]:
        if result["unit"] == "acquisitions/s" and line["overlaps"] != 0:
            yield f"{where}: {line['name']}: {line['overlaps']} overlaps"
        for aim in line["aims"]:
            if not is_number(aim["seen"]) and not aim["aim"].endswith(PEERS):
                yield f"{where}: {line['name']}: nothing is known about {aim['aim']}"
        # What this floor sends is known, so it shows that commands are counted right.
        sent = {"hiredis loop, scripts": 2, "hiredis loop, plain": 3}.get(line["name"])
        if sent and abs(line["commands"] - sent) > 0.5:
            yield f"{where}: {line['name']}: {line['commands']} commands, {sent} are sent"


def missing_tables(report):
    seen = {}
    for result in report["results"]:
        seen.setdefault(result["placement"], set()).add(result["scenario"])
    if not any(TLS in scenarios for scenarios in seen.values()):
        print("no TLS here")
        seen.setdefault("apart" if "apart" in seen else "together", set()).add(TLS)
    if seen != expected():
        yield f"scenarios: {seen}, expected {expected()}"


def unprinted(report, table, markdown):
    for result in report["results"]:
        if f"| {result['scenario']} |" not in markdown or result["scenario"] not in table:
            yield f"no table of {result['scenario']}"
        for line in result["lines"]:
            if f"\n| {line['name']} |" not in markdown or f"\n{line['name']} " not in table:
                yield f"no row of {line['name']}"


def run(program, seconds, *more):
    """The figures, the tables as they are printed, and the page."""
    with tempfile.TemporaryDirectory() as folder:
        data, page = os.path.join(folder, "run.json"), os.path.join(folder, "run.md")
        command = [program, "--peers", "none", "--rounds", "1", "--seconds", str(seconds), "--even-if-busy", *more]
        command += ["--json", data, "--markdown", page]
        table = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        with open(data, encoding="utf-8") as file:
            report = json.load(file)
        with open(page, encoding="utf-8") as file:
            return report, table, file.read()


def main(program):
    moment, longer = 0.02, 0.2
    report, table, markdown = run(program, moment)
    problems = [*missing_tables(report), *unprinted(report, table, markdown)]
    in_doubt = set()
    for result in report["results"]:
        problems += problems_of(result)
        for figure in missing_figures(result):
            print(figure)
            in_doubt.add(result["scenario"])
    # In a moment on a machine that is full nobody of 300 may have had the lock.
    for scenario in sorted(in_doubt):
        print(f"once more, for longer: {scenario}")
        again, _, _ = run(program, longer, "--only", scenario)
        if scenario not in {result["scenario"] for result in again["results"]}:
            problems.append(f"no table of {scenario}")
        for result in again["results"]:
            problems += [*problems_of(result), *missing_figures(result)]
    for problem in problems:
        print(problem)
    print(f"{sum(len(result['lines']) for result in report['results'])} lines, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
