#!/usr/bin/env python3
"""Breaks the shipped code on purpose, one way at a time, and sees whether the simulator notices.

    mutants.py [--only REGEX] [--part K/N] [--seeds N] [--jobs N] [--threads | --no-threads] [--markdown]     (./dev mutants)
    mutants.py generated …    changes at random, against all proofs: see `mutants.py generated --help`

A mutant is a replacement in one file of src/ or lua/, from the tables in tests/mutants/table. It is applied to a copy of the
tree under build/mutants, the simulator is built there, and seeds are run until one breaks a promise, or else all orders of
small scenarios, or fields of processes that all want one lock. Where none of these finds it, the unit tests of its folder are
run, or those of the scripts; then, of some files, tests with servers. A mutant that survives is a hole in the proof: exit
status 1, unless the table argues that nobody can find it. A replacement whose text is not there (any more), or more than
once, is an error: exit status 2.

The simulator has one thread. Mutants about threads are hunted by tests/threads under the thread sanitizer instead.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time

import generated
import isolated
from proofs import UNIT_OF, what_failed
from table import ARGUED, MUTANTS, OF_THREADS, WORDS
from workshop import Useless, Workshop

ROOT = pathlib.Path(__file__).resolve().parents[2]


# Beside the re-entrant one: the kinds of lock, and the files that only they have.
OTHER_KINDS = {"non_reentrant": r"/non_reentrant", "spin": r"/spin", "fenced": r"/fenced", "fair": r"/fair",
               "read_write": r"/read_|/write_", "semaphore": r"/semaphore|/counter_",
               "permit_semaphore": r"/permit|/counter_wait", "latch": r"/latch|/counter_set",
               "election": r"/election|/leader_election", "multi": r"/multi_|/basic_multi|/joint_",
               "red": r"/multi_|/basic_multi|/joint_", "faster_multi": r"/faster_multi|/part_owners"}

# What no simulated world uses: tests judge it.
NOT_SIMULATED = r"/highway_hash|/io/tls/|/io/login|/io/password_file|/io/sentinel_watcher|/io/replicated_locator"

# What needs servers that replicate.
WITH_REPLICAS = r"/replica_|/confirmed_acquisition|/yaml_replicas|/api/client\.cpp"
# Where neither the simulator nor the unit tests find anything, by files: its kept seeds, and tests with servers.
KEPT_SEEDS = "sim_test"
WITH_SERVERS = {WITH_REPLICAS: ("integration_replica_wait_test", "integration_replica_policy_test"),
                OTHER_KINDS["red"]: (KEPT_SEEDS, "integration_red_lock_test", "integration_multi_lock_test",
                                     "integration_release_yield_test"),
                r"/io/acquisition": (KEPT_SEEDS, "integration_late_bytes_test"), r"/io/lane": ("integration_shortage_test",),
                r"/io/releasing": (KEPT_SEEDS, "integration_moved_slot_test"),
                r"/io/tls/": ("unit_tls", "integration_tls_test"), r"^lua/": ("sim_server_test",),
                r"/io/login|/io/password_file|/io/call_lane|/io/subscriber": ("integration_credentials_test",),
                r"/io/sentinel_watcher|/io/replicated_locator": ("integration_credentials_of_nodes_test",
                                                                 "integration_replicated_test"),
                r"/io/counter_": ("integration_release_yield_test", "integration_user_loop_test",
                                 "integration_permit_total_test")}


def part_of_table(text):
    """K/N: the K-th of N parts, which together are the table: every N-th mutant, so that each part has all kinds."""
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise argparse.ArgumentTypeError("K/N, with K from 1 to N")
    return int(found[1]), int(found[2])


def chosen(table, only="", part=(1, 1)):
    return [one for one in table[part[0] - 1::part[1]] if re.search(only, one[0])]


class Simulator(Workshop):
    """A copy of the tree in which one mutant at a time is hunted by the simulator, then by unit tests."""

    targets = ["redlatch_sim"]

    def begin(self):
        self.prepare()
        self.make("the sound tree", self.targets, mutated=False)

    def make(self, what, targets, mutated=True):
        if wrong := self.build(targets, mutated):
            raise Useless(f"{what}: does not compile\n{wrong}")

    def judge(self, mutant, how):
        """How the mutant was found, the first seed that fails, and how long that took; nothing if it survives."""
        name, path, old, new = mutant

        def change(sound):
            if sound.count(old) != 1:
                raise Useless(f"{name}: the text to replace stands {sound.count(old)} times in {path}")
            return sound.replace(old, new)

        with self.broken(path, change):
            if not re.search(NOT_SIMULATED, path):
                self.make(name, self.targets)
            return self.search(how, path, WORDS.get(name, ()))

    def search(self, how, path, world=()):
        """From what is cheap to what is not. `world`: words for the simulator, where it is not the usual one."""
        if world:
            what, seed, took = self.hunt(how.limit, "--first", 1, "--count", how.seeds, "--no-shrink", *world)
            of_kind = f" of {world[-1]}" if "--kind" in world else ""
            return (what, (seed + of_kind).strip(), took) if what else self.test(how.limit, path)
        if re.search(NOT_SIMULATED, path):
            return self.test(how.limit, path)
        if re.search(WITH_REPLICAS, path):
            return self.test(how.limit, path)
        about = [kind for kind, files in OTHER_KINDS.items() if re.search(files, path)]
        found = "", "", 0.0
        if not about:
            found = self.hunt(how.limit, "--first", 1, "--count", how.seeds, "--no-shrink")
        if not found[0]:
            found = self.search_kinds(how, about or OTHER_KINDS)
        if not found[0] and not about:
            found = self.hunt(how.limit, "--orders", "--states", how.states)
        if not found[0] and not about:
            found = self.hunt(how.limit, "--fields", "--first", 1, "--count", how.seeds // 20, "--no-shrink")
            found = found[0], f"{found[1]} of fields" if found[1] else "", found[2]
        return found if found[0] else self.test(how.limit, path)

    def search_kinds(self, how, kinds):
        for kind in kinds:
            words = "--first", 1, "--count", how.seeds // 4, "--no-shrink", "--kind", kind
            found = self.hunt(how.limit, *words)
            if found[0]:
                return found[0], f"{found[1]} of {kind}", found[2]
        return "", "", 0.0

    def test(self, limit, path):
        found = self.unit_test(limit, path)
        for name in (one for files, tests in WITH_SERVERS.items() if re.search(files, path) for one in tests):
            kind = "a kept seed" if name == KEPT_SEEDS else "a test with servers"
            found = found if found[0] else self.program_test(limit, path, name, kind)
        return found

    def unit_test(self, limit, path):
        """By the tests of the file's folder: what happens too seldom in a simulated world is made to happen there."""
        folder = UNIT_OF.get("/".join(path.split("/")[:2]))
        name = "lua_test" if path.startswith("lua/") else f"unit_{folder}" if folder else None
        return self.program_test(limit, path, name, "a unit test") if name else ("", "", 0.0)

    def program_test(self, limit, path, name, kind):
        self.make(path, [name])
        began = time.monotonic()
        status = isolated.run([self.program(name), "--gtest_brief=1"], self.log, limit, self.made)
        failed = what_failed(self.log.read_text(errors="replace"))
        return "" if status == 0 else kind, f"`{failed or name}`", time.monotonic() - began

    def hunt(self, limit, *words):
        """By seeds, which end in time by themselves unless one of them comes to no end, or by orders."""
        began = time.monotonic()
        by_orders = "--orders" in words
        try:
            in_time = () if by_orders else ("--minutes", limit / 60)
            done = run(self.made / "tests" / "sim" / "redlatch_sim", *words, *in_time,
                       timeout=limit if by_orders else 2 * limit)
        except subprocess.TimeoutExpired as late:
            # Orders that come to no end, or only more of them than there was time for?
            told = late.stdout or ""
            return ("", "", limit) if "states" in str(told) else ("hangs", "", limit)
        took = time.monotonic() - began
        if done.returncode == 0 or "minutes were too short" in done.stdout:
            return "", "", took
        if found := re.search(r"^seed (\d+) broke a promise, ([^:]*):", done.stdout, re.M):
            return found[2], found[1], took
        if found := re.search(r"^broke a promise, ([^:]*):", done.stdout, re.M):
            scope = re.findall(r"^(.*): \d+ states", done.stdout, re.M)[-1]
            return found[1], f"orders of “{scope}”", took
        sentence = re.search(r"internal error: (.*)", done.stderr)
        seed = re.search(r"it ended in --seed (\d+)", done.stderr)
        what = "stops: " + (sentence[1] if sentence else f"status {done.returncode}")
        return what, seed[1] if seed else "", took


class ThreadSanitizer(Simulator):
    """The same for mutants about threads: hunted by the stress programs and the tests of src/io, under the thread sanitizer."""

    preset = "tsan"
    targets = ["thread_races", "unit_io"]

    def search(self, how, path, world=()):
        began = time.monotonic()
        for name in self.targets:
            try:
                done = run("setarch", "-R", self.program(name), "--gtest_break_on_failure", timeout=how.limit)
            except subprocess.TimeoutExpired:
                return "hangs", f"`{name}`", time.monotonic() - began
            if done.returncode != 0:
                last = re.findall(r"^\[ RUN      \] (.*)$", done.stdout, re.M)[-1:]
                what = "data race" if "data race" in done.stderr else "a test that fails"
                return what, f"`{last[0]}`" if last else f"`{name}`", time.monotonic() - began
        return "", "", time.monotonic() - began


def work(shop, mutants, how, tell):
    if mutants:
        shop.begin()
    while mutants:
        mutant = mutants.pop(0)
        tell(mutant[0], *shop.judge(mutant, how))


def run(*words, **more):
    return subprocess.run([str(word) for word in words], text=True, errors="replace", capture_output=True, check=False, **more)


def main():
    if sys.argv[1:2] == ["generated"]:
        return generated.main(sys.argv[2:])
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only mutants whose name matches")
    parser.add_argument("--part", type=part_of_table, default=(1, 1), help="the K-th of N parts of the table: K/N")
    parser.add_argument("--seeds", type=int, default=20_000, help="so many seeds at the most (20000)")
    parser.add_argument("--states", type=int, default=20_000, help="so many states of each small scenario (20000)")
    parser.add_argument("--limit", type=float, default=300, help="so many seconds for either at the most (300)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="so many at the same time (one for each core)")
    parser.add_argument("--threads", action="store_true", help="only those about threads")
    parser.add_argument("--no-threads", action="store_true", help="all but those about threads")
    parser.add_argument("--markdown", action="store_true", help="print the table for docs/testing.md")
    how = parser.parse_args()
    if how.markdown:
        print("| broken on purpose | found by | seed | after |\n|---|---|--:|--:|", flush=True)
    survivors = []

    def tell(name, what, where, took):
        if not what:
            what = "**nobody**"
            if name not in ARGUED:
                survivors.append(name)
        line = f"| {name} | {what} | {where} | {took:.1f} s |" if how.markdown else f"{name}: {what} {where} {took:.1f} s"
        print(line, flush=True)

    try:
        with concurrent.futures.ThreadPoolExecutor(how.jobs) as pool:
            mutants = [] if how.threads else chosen(MUTANTS, how.only, how.part)
            shops = [Simulator(ROOT, f"table-{number}") for number in range(how.jobs)]
            for done in [pool.submit(work, shop, mutants, how, tell) for shop in shops]:
                done.result()
        if not how.no_threads:
            work(ThreadSanitizer(ROOT, "table-threads"), chosen(OF_THREADS, how.only, how.part), how, tell)
    except Useless as wrong:
        print(wrong, file=sys.stderr)
        return 2
    print(f"{len(survivors)} survived" + (": " + "; ".join(survivors) if survivors else ""), file=sys.stderr)
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
