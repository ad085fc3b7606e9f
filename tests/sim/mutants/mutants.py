#!/usr/bin/env python3
"""Breaks the shipped code on purpose, one way at a time, and sees whether the simulator notices.

    mutants.py [--only TEXT] [--seeds N] [--markdown]     (./dev mutants)

A mutant is a replacement in one file of src/ or lua/. It is applied to a copy of the tree under build/mutants, the simulator is
built there, and seeds are run until one breaks a promise. A mutant that survives is a hole in the proof: exit status 1. A
replacement whose text is not there (any more), or more than once, is an error: exit status 2.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import time

from table import MUTANTS

ROOT = pathlib.Path(__file__).resolve().parents[3]
COPY = ROOT / "build" / "mutants" / "tree"
BUILD = ROOT / "build" / "mutants" / "build"
FOLDERS = ["src", "lua", "include", "tests/sim", "cmake"]


def run(*words, **more):
    return subprocess.run([str(word) for word in words], text=True, capture_output=True, **more)


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


def prepare():
    for folder in FOLDERS:
        mirror(ROOT / folder, COPY / folder)
    (COPY / "CMakeLists.txt").write_text((pathlib.Path(__file__).parent / "tree.cmake").read_text())
    if not (BUILD / "build.ninja").exists():
        configured = run("cmake", "-S", COPY, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release")
        if configured.returncode != 0:
            sys.exit(configured.stdout + configured.stderr)


def build():
    return run("ninja", "-C", BUILD, "redlatch_sim")


def hunt(seeds, limit):
    """The first seed that fails, what broke, and how long it took."""
    began = time.monotonic()
    try:
        done = run(BUILD / "tests" / "sim" / "redlatch_sim", "--first", 1, "--count", seeds, "--no-shrink", timeout=limit)
    except subprocess.TimeoutExpired:
        return None, "hangs", time.monotonic() - began
    took = time.monotonic() - began
    if done.returncode == 0:
        return None, "", took
    found = re.search(r"^seed (\d+) broke a promise, ([^:]*):", done.stdout, re.M)
    if found:
        return int(found[1]), found[2], took
    sentence = re.search(r"internal error: (.*)", done.stderr)
    return None, "stops: " + (sentence[1] if sentence else f"status {done.returncode}"), took


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only mutants with this in their name")
    parser.add_argument("--seeds", type=int, default=20_000, help="so many seeds at the most (20000)")
    parser.add_argument("--limit", type=float, default=300, help="so many seconds at the most (300)")
    parser.add_argument("--markdown", action="store_true", help="print the table for docs/testing.md")
    how = parser.parse_args()
    prepare()
    built = build()
    if built.returncode != 0:
        sys.exit(built.stdout[-4000:])
    survivors = []
    if how.markdown:
        print("| broken on purpose | found by | seed | after |\n|---|---|--:|--:|")
    for name, path, old, new in MUTANTS:
        if how.only not in name:
            continue
        source = COPY / path
        sound = source.read_text()
        if sound.count(old) != 1:
            print(f"{name}: the text to replace stands {sound.count(old)} times in {path}", file=sys.stderr)
            return 2
        source.write_text(sound.replace(old, new))
        try:
            built = build()
            if built.returncode != 0:
                print(f"{name}: does not compile\n{built.stdout[-2000:]}", file=sys.stderr)
                return 2
            seed, what, took = hunt(how.seeds, how.limit)
        finally:
            source.write_text(sound)
        if not what:
            survivors.append(name)
            what = "**nobody**"
        if how.markdown:
            print(f"| {name} | {what} | {seed or ''} | {took:.1f} s |", flush=True)
        else:
            print(f"{name}: {what}{f', seed {seed}' if seed else ''}, {took:.1f} s", flush=True)
    print(f"{len(survivors)} survived" + (": " + "; ".join(survivors) if survivors else ""), file=sys.stderr)
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
