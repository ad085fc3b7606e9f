"""Code that must not compile: check.py COMPILER INCLUDE_FOLDER CASES. The same function without the case must compile."""

import re
import subprocess
import sys

FRAME = """#include <redlatch/redlatch.hpp>
void test([[maybe_unused]] redlatch::client& client, [[maybe_unused]] redlatch::reentrant_lock& lock) {{ {code} }}
"""


def compile(compiler, folder, code):
    command = [compiler, "-std=c++20", "-Wall", "-Werror=unused-result", "-fsyntax-only", "-I", folder, "-x", "c++", "-"]
    run = subprocess.run(command, input=FRAME.format(code=code), capture_output=True, text=True, timeout=60)
    return run.returncode == 0, run.stderr


def main():
    compiler, folder, file = sys.argv[1:]
    with open(file, encoding="utf-8") as lines:
        cases = [[part.strip() for part in line.split(" | ", 2)] for line in lines if line.strip() and line[0] != "#"]
    problems = []
    good, output = compile(compiler, folder, "auto hold = lock.acquire(); hold.release();")
    if not good:
        problems.append(f"good code does not compile:\n{output}")
    for name, code, expected in cases:
        compiled, output = compile(compiler, folder, code)
        if compiled:
            problems.append(f"{name}: compiled: {code}")
        elif not re.search(expected, output):
            problems.append(f"{name}: refused, but not for /{expected}/:\n{output}")
    print("\n".join(problems) or f"{len(cases)} cases are refused")
    return 1 if problems or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
