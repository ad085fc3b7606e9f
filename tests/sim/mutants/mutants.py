#!/usr/bin/env python3
"""Breaks the shipped code on purpose, one way at a time, and sees whether the simulator notices.

    mutants.py [--only REGEX] [--seeds N] [--jobs N] [--threads | --no-threads] [--markdown]     (./dev mutants)

A mutant is a replacement in one file of src/ or lua/. It is applied to a copy of the tree under build/mutants, the simulator is
built there, and seeds are run until one breaks a promise, or else all orders of small scenarios. A mutant that survives is a
hole in the proof: exit status 1. A replacement whose text is not there (any more), or more than once, is an error: exit
status 2.

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

from table import MUTANTS, OF_THREADS

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDERS = ["src", "lua", "include", "tests/sim", "cmake"]


def run(*words, **more):
    return subprocess.run([str(word) for word in words], text=True, errors="replace", capture_output=True, **more)


def files_under(folder):
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts}


def mirror(source, copy):
    """Makes `copy` equal to `source`; touches nothing that is equal already, so that little is built."""
    copy.mkdir(parents=True, exist_ok=True)
    wanted = files_under(source)
    for stale in files_under(copy) - wanted:
        (copy / stale).unlink()
    for path in wanted:
        content = (source / path).read_bytes()
        target = copy / path
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


class Workshop:
    """A copy of the tree in which one mutant at a time is made and hunted."""

    name = "sim"
    targets = ["redlatch_sim"]
    settings = ["-DCMAKE_BUILD_TYPE=Release"]

    def __init__(self, number):
        self.copy = ROOT / "build" / "mutants" / f"{self.name}-{number}" / "tree"
        self.made = ROOT / "build" / "mutants" / f"{self.name}-{number}" / "build"

    def mirror(self):
        for folder in FOLDERS:
            mirror(ROOT / folder, self.copy / folder)
        (self.copy / "CMakeLists.txt").write_text((pathlib.Path(__file__).parent / "tree.cmake").read_text())

    def prepare(self):
        self.mirror()
        if not (self.made / "build.ninja").exists():
            configured = run("cmake", "-S", self.copy, "-B", self.made, "-G", "Ninja", *self.settings,
                             "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
            if configured.returncode != 0:
                raise Useless(configured.stdout + configured.stderr)
        self.build("the sound tree")

    def build(self, what):
        built = run("ninja", "-C", self.made, *self.targets)
        if built.returncode != 0:
            raise Useless(f"{what}: does not compile\n{built.stdout[-4000:]}")

    def judge(self, mutant, how):
        """How the mutant was found, the first seed that fails, and how long that took; nothing if it survives."""
        name, path, old, new = mutant
        source = self.copy / path
        sound = source.read_text()
        if sound.count(old) != 1:
            raise Useless(f"{name}: the text to replace stands {sound.count(old)} times in {path}")
        source.write_text(sound.replace(old, new))
        try:
            self.build(name)
            return self.search(how)
        finally:
            source.write_text(sound)

    def search(self, how):
        found = self.hunt(how.limit, "--first", 1, "--count", how.seeds, "--no-shrink")
        return found if found[0] else self.hunt(how.limit, "--orders", "--states", how.states)

    def hunt(self, limit, *words):
        began = time.monotonic()
        try:
            done = run(self.made / "tests" / "sim" / "redlatch_sim", *words, timeout=limit)
        except subprocess.TimeoutExpired as late:
            # Seeds or orders that come to no end, or only more of them than there was time for?
            told = late.stdout or ""
            return ("", "", limit) if "states" in str(told) else ("hangs", "", limit)
        took = time.monotonic() - began
        if done.returncode == 0:
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


class ThreadWorkshop(Workshop):
    """The same for mutants about threads: hunted by the stress programs and the tests of src/io, under the thread sanitizer."""

    name = "threads"
    targets = ["thread_races", "unit_io"]
    settings = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1", "-DREDLATCH_TESTS=ON",
                "-DREDLATCH_SANITIZE=thread"]

    def mirror(self):
        for folder in ["src", "lua", "include", "cmake", "cli", "tests", "examples", "docs"]:
            mirror(ROOT / folder, self.copy / folder)
        (self.copy / "CMakeLists.txt").write_text((ROOT / "CMakeLists.txt").read_text())

    def search(self, how):
        began = time.monotonic()
        for name in self.targets:
            program = next(path for path in self.made.rglob(name) if path.is_file())
            try:
                done = run("setarch", "-R", program, "--gtest_break_on_failure", timeout=how.limit)
            except subprocess.TimeoutExpired:
                return "hangs", f"`{name}`", time.monotonic() - began
            if done.returncode != 0:
                last = re.findall(r"^\[ RUN      \] (.*)$", done.stdout, re.M)[-1:]
                what = "data race" if "data race" in done.stderr else "a test that fails"
                return what, f"`{last[0]}`" if last else f"`{name}`", time.monotonic() - began
        return "", "", time.monotonic() - began


class Useless(Exception):
    """The table or the tree is wrong, not a mutant."""


def work(shop, mutants, how, tell):
    if mutants:
        shop.prepare()
    while mutants:
        mutant = mutants.pop(0)
        tell(mutant[0], *shop.judge(mutant, how))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only mutants whose name matches")
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
            survivors.append(name)
            what = "**nobody**"
        line = f"| {name} | {what} | {where} | {took:.1f} s |" if how.markdown else f"{name}: {what} {where} {took:.1f} s"
        print(line, flush=True)

    def chosen(table):
        return [one for one in table if re.search(how.only, one[0])]

    try:
        with concurrent.futures.ThreadPoolExecutor(how.jobs) as pool:
            mutants = [] if how.threads else chosen(MUTANTS)
            for done in [pool.submit(work, Workshop(number), mutants, how, tell) for number in range(how.jobs)]:
                done.result()
        if not how.no_threads:
            work(ThreadWorkshop(0), chosen(OF_THREADS), how, tell)
    except Useless as wrong:
        print(wrong, file=sys.stderr)
        return 2
    print(f"{len(survivors)} survived" + (": " + "; ".join(survivors) if survivors else ""), file=sys.stderr)
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
