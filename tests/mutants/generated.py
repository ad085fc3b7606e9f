#!/usr/bin/env python3
"""Changes one place of src/ or cli/ at a time, at random, and sees whether any proof notices.

    generated.py [--count N] [--seed N] [--file GLOB]… [--jobs N] [--resume] [--list | --report | --keep]
                                                                                         (./dev mutants generated)

Operators, conditions, constants, calls and statements that are dropped, arguments that change places, returned values: the
same seed makes the same mutants of the same tree. A mutant that does not compile is not counted, another one is drawn for it.
Each is judged in a copy of the tree under build/mutants, by proofs from cheap to expensive (proofs.py), until one fails: all
mutants by what only computes, then those that are left open by tests that start servers and mostly wait.

Judging 300 takes hours: what is known is kept in judged/ (--keep), for as long as the lines of a mutant are in the tree, and
--resume goes on from there.

What survives is a hole in the proofs or changes nothing that can be seen; survivors.md argues the latter, one by one. Exit
status 1 if one is not found and nothing argues it, those included that no suite has judged yet; 2 if the tree itself fails.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import itertools
import json
import os
import pathlib
import random
import sys
import threading
import time

import survivors
from changes import places
from judge import Judge
from proofs import proofs
from workshop import Useless

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARGUMENTS = pathlib.Path(__file__).with_name("survivors.md")
JUDGED = pathlib.Path(__file__).with_name("judged")
NO_MUTANTS = ("invalid", "equal")  # they do not compile, or compile to the same


def key_of(path, old, new, nth):
    return *survivors.key(path, old, new), nth


@dataclasses.dataclass(frozen=True)
class Mutant:
    change: object
    line: int
    old: tuple  # whole lines
    new: tuple
    nth: int = 1  # of the places in the file whose lines are the same

    @property
    def key(self):
        return key_of(self.change.path, self.old, self.new, self.nth)

    @property
    def argument_key(self):
        """One argument is about all places of a file whose lines are the same."""
        return survivors.key(self.change.path, self.old, self.new)

    def __str__(self):
        def short(lines):
            return " ".join(" ".join(lines).split())

        return f"{self.change.path}:{self.line} {short(self.old)} → {short(self.new)}"


def whole_lines(change, text, nth=1):
    """The mutant as whole lines, those before and those after."""
    begin = text.rfind("\n", 0, change.start) + 1
    end = text.find("\n", change.end)
    end = len(text) if end < 0 else end
    old = text[begin:end]
    new = text[begin:change.start] + change.new + text[change.end:end]
    return Mutant(change, text.count("\n", 0, change.start) + 1, tuple(old.split("\n")), tuple(new.split("\n")), nth)


def draw(files, text_of, seed):
    """All places in an order that the seed determines, at each one of its changes.

    Each has its number in that order from its own lines: when one file changes, the others' mutants stay and come as before.
    """
    drawn, seen, lines = [], collections.Counter(), collections.defaultdict(list)
    for path in files:
        for changes in places(path, text_of(path)):
            first = whole_lines(changes[0], text_of(path))
            column = changes[0].start - text_of(path).rfind("\n", 0, changes[0].start)
            place = repr((seed, path, survivors.stripped(first.old), column, changes[0].kind))
            seen[place] += 1
            chance = random.Random(f"{place} {seen[place]}")
            twins = lines[path, survivors.stripped(first.old)]  # however far they are indented
            if first.line not in twins:
                twins.append(first.line)
            drawn.append((chance.random(), chance.choice(changes), twins.index(first.line) + 1))
    for _, change, nth in sorted(drawn, key=lambda one: one[0]):
        yield whole_lines(change, text_of(change.path), nth)


class Results:
    """What became of each mutant: a line of JSON for each, in a file that --resume goes on with, after those that are kept."""

    def __init__(self, path, kept, resume):
        self.path, self.kept, self.known, self.lock = path, kept, {}, threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        if not resume:
            path.unlink(missing_ok=True)
        for file in (kept, path) if resume else ():
            for line in file.read_text().splitlines() if file.exists() else ():
                one = json.loads(line)
                self.known[key_of(one["path"], one["old"], one["new"], one["nth"])] = one

    def add(self, mutant, verdict, by, what, took):
        one = {"path": mutant.change.path, "line": mutant.line, "kind": mutant.change.kind, "old": mutant.old,
               "new": mutant.new, "nth": mutant.nth, "verdict": verdict, "by": by, "what": what, "seconds": round(took, 1)}
        with self.lock, self.path.open("a") as out:
            out.write(json.dumps(one, ensure_ascii=False) + "\n")
            self.known[mutant.key] = one

    def keep(self, mutants):
        """Those of these mutants that are judged, in an order that changes little from time to time.

        Also those that no suite has judged yet: without them a report would tell a better rate than was seen.
        """
        lines = []
        for mutant in mutants:
            if one := self.known.get(mutant.key):
                fields = {name: one[name] for name in ("path", "kind", "old", "new", "nth", "verdict", "by", "what")}
                lines.append(json.dumps(fields, ensure_ascii=False, sort_keys=True) + "\n")
        self.kept.parent.mkdir(parents=True, exist_ok=True)
        self.kept.write_text("".join(sorted(lines)))
        return len(lines)

    def verdict(self, mutant):
        return self.known.get(mutant.key, {}).get("verdict", "")


class Hunt:
    """Takes mutants in their order until so many have been judged.

    What survives the proofs that only compute is left open at first: that is the verdict until the suites have judged it too.
    """

    def __init__(self, mutants, count, results, arguments=()):
        self.mutants, self.count, self.results, self.arguments = mutants, count, results, arguments
        self.lock, self.taken, self.lines = threading.Lock(), set(), 0

    def chosen(self):
        """The first ones that are mutants, as far as is known, each with its verdict."""
        verdicts = ((mutant, self.results.verdict(mutant)) for mutant in self.mutants)
        return itertools.islice((one for one in verdicts if one[1] not in NO_MUTANTS), self.count)

    def next(self, wanted):
        with self.lock:
            for mutant, verdict in self.chosen():
                argued = verdict == "open" and mutant.argument_key in self.arguments  # that no suite could find it
                if verdict == wanted and not argued and (mutant, wanted) not in self.taken:
                    self.taken.add((mutant, wanted))
                    return mutant
        return None

    def work(self, shop, suites):
        while mutant := self.next(""):
            self.judge(shop, mutant, False)
        while suites and (mutant := self.next("open")):
            self.judge(shop, mutant, True)

    def judge(self, shop, mutant, suites):
        began = time.monotonic()
        verdict, by, what = shop.judge(mutant.change, suites)
        if verdict == "survived" and not suites:
            verdict = "open"
        took = time.monotonic() - began
        self.results.add(mutant, verdict, by, what, took)
        with self.lock:
            self.lines += 1
            print(f"{self.lines}. {mutant}: {verdict} {by} {what} ({took:.1f} s)", flush=True)

    def judged(self):
        return [{**self.results.known[mutant.key], "line": mutant.line} for mutant, verdict in self.chosen() if verdict]


def sources(patterns):
    """The files that may be changed, relative to the root."""
    found = sorted(path.relative_to(ROOT).as_posix() for folder in ("src", "cli") for path in (ROOT / folder).rglob("*.[hc]pp"))
    return [path for path in found if not patterns or any(pathlib.PurePosixPath(path).match(one) for one in patterns)]


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def report(judged, arguments):
    """A table by file, then all that no proof has found and nobody argues, which it returns."""
    unfound, rows = [], {}
    for one in judged:
        count = rows.setdefault(one["path"], collections.Counter())
        count["all"] += 1
        if one["verdict"] in ("survived", "open") and survivors.key(one["path"], one["old"], one["new"]) in arguments:
            count["argued"] += 1
        else:
            count[one["verdict"]] += 1
            unfound += [one] if one["verdict"] != "found" else []
    columns = ["all", "found", "argued", "survived", "open"]
    total = sum(rows.values(), collections.Counter())
    print("\n| file | mutants | found | argued | survived | open |\n|---|--:|--:|--:|--:|--:|")
    for path, count in [*sorted(rows.items()), ("**all**", total)]:
        print(f"| {path} | " + " | ".join(str(count[column]) for column in columns) + " |")
    for one in unfound:
        print(f"\n{one['verdict']}, {one['path']}:{one['line']} ({one['kind']})\n")
        print(survivors.entry(one["path"], one["old"], one["new"], "Equivalent because …"))
    count, found, argued = total["all"], total["found"], total["argued"]
    print(f"{found} of {count} found: {percent(found, count)}; of those that no argument calls equivalent, "
          f"{percent(found, count - argued)}; {total['open']} are open: no suite has judged them yet")
    return unfound


def options(words):
    parser = argparse.ArgumentParser(prog="mutants generated", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300, help="so many that compile (300)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (1)")
    parser.add_argument("--file", action="append", default=[], metavar="GLOB", help="only of these files, e.g. 'src/io/*.cpp'")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="so many at the same time (one for each core)")
    parser.add_argument("--seeds", type=int, default=2_000, help="of the simulator, for each mutant (2000)")
    parser.add_argument("--states", type=int, default=800, help="of each small scenario, for each mutant (800)")
    parser.add_argument("--resume", action="store_true", help="go on with what an earlier run with this seed has left")
    parser.add_argument("--again", action="store_true", help="with --resume: judge anew what no proof has found")
    parser.add_argument("--compute", action="store_true", help="nothing that starts servers: what it would judge is left open")
    parser.add_argument("--trust", action="store_true", help="do not run the proofs on the sound tree first")
    parser.add_argument("--list", action="store_true", help="show the mutants, also those that will not compile; run nothing")
    parser.add_argument("--report", action="store_true", help="show what earlier runs with this seed have found; run nothing")
    parser.add_argument("--keep", action="store_true", help="write to tests/mutants/judged what is known; run nothing")
    return parser.parse_args(words)


def main(words):
    how = options(words)
    texts = {path: (ROOT / path).read_text() for path in sources(how.file)}
    mutants = list(draw(sorted(texts), texts.__getitem__, how.seed))
    if how.list:
        for mutant in mutants[:how.count]:
            print(f"{mutant.change.kind}: {mutant}")
        return 0
    arguments = survivors.read(ARGUMENTS.read_text())
    for path, old, _ in survivors.lapsed(arguments, lambda path: texts.get(path) or (
            (ROOT / path).read_text() if (ROOT / path).exists() else None)):
        print(f"the argument about {path} lapses, its lines have changed: {' '.join(old)}", file=sys.stderr)
    results = Results(ROOT / "build" / "mutants" / f"generated-{how.seed}.jsonl", JUDGED / f"seed-{how.seed}.jsonl",
                      how.resume or how.report or how.keep)
    if how.keep:
        print(f"{results.keep(mutants)} kept in {results.kept.relative_to(ROOT)}")
        return 0
    if how.again:
        results.known = {key: one for key, one in results.known.items() if one["verdict"] not in ("survived", "open")}
    hunt = Hunt(mutants, how.count, results, arguments)
    try:
        if not how.report:
            all_proofs = proofs(how.seeds, how.states)
            shops = [Judge(ROOT, number, all_proofs) for number in range(how.jobs)]
            for shop in shops:
                shop.prepare()
            if not how.trust:
                shops[0].try_sound_tree(lambda line: print(f"the sound tree: {line}", flush=True), not how.compute)
            for shop in shops[1:]:
                shop.left_out = shops[0].left_out
            with concurrent.futures.ThreadPoolExecutor(how.jobs) as pool:
                for done in [pool.submit(hunt.work, shop, not how.compute) for shop in shops]:
                    done.result()
    except Useless as wrong:
        print(wrong, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted: --resume goes on", file=sys.stderr)
    return 1 if report(hunt.judged(), arguments) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
