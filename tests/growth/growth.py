#!/usr/bin/env python3
"""Whether very many calls, waiters and threads cost as much each as few do.

growth.py PROGRAM

callgrind counts the instructions of a count of operations and of twice as many: what grows with the count shows as twice the
instructions, and what looks at all others each time as four times as many. No clock is looked at.
"""
import re
import subprocess
import sys

COUNT = 2000
MOST = 2.5  # linear is 2, with a tree or a heap a little more; quadratic is 4
KINDS = ("abandon", "give_up", "pass", "end_threads")


def instructions(program, kind, count):
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, kind, str(count)],
                         capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not found:
        sys.exit(f"callgrind of {kind} failed:\n{run.stderr}")
    return int(found.group(1))


def main():
    program = sys.argv[1]
    failed = False
    for kind in KINDS:
        start = instructions(program, kind, 0)  # what the program itself costs
        some = instructions(program, kind, COUNT) - start
        twice = instructions(program, kind, 2 * COUNT) - start
        growth = twice / some
        failed = failed or growth > MOST
        print(f"{kind}: {some / COUNT:.0f} instructions each of {COUNT}; of twice as many {growth:.2f} times as much")
    if failed:
        print(f"more than {MOST} times as much for twice as many: something looks at all others each time")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
