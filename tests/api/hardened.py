"""hardened.py READELF FILE...: programs and libraries were compiled and linked as cmake/redlatch_hardening.cmake says."""

import re
import subprocess
import sys


def read(readelf, option, file):
    return subprocess.run([readelf, "-W", option, file], check=True, capture_output=True, text=True).stdout


def problems_of_linked(readelf, file):
    header, segments, dynamic = (read(readelf, option, file) for option in ("-h", "-l", "-d"))
    is_program = " INTERP " in segments
    if not re.search(r"Type:\s+DYN\b", header) or (is_program and not re.search(r"FLAGS_1.*\bPIE\b", dynamic)):
        yield "it is not position-independent"
    if " GNU_RELRO " not in segments:
        yield "its relocated data stay writable (RELRO)"
    if not re.search(r"\bBIND_NOW\b|FLAGS_1.*\bNOW\b", dynamic):
        yield "its functions are bound when they are called, so that their table stays writable (BIND_NOW)"
    stack = re.search(r"^\s*GNU_STACK\s+(?:0x\w+\s+){5}(.{3})", segments, re.MULTILINE)
    if not stack or "E" in stack.group(1):
        yield "its stack can be executed"
    if re.search(r"^\s*LOAD\s+(?:0x\w+\s+){5}RWE", segments, re.MULTILINE):
        yield "a part of it can be written and executed"
    imports = read(readelf, "--dyn-syms", file)
    if " __stack_chk_fail@" not in imports:
        yield "no function notices that its stack was overwritten (-fstack-protector-strong)"
    if not re.search(r" __(?!stack)\w+_chk@", imports):
        yield "no call of the C library checks the size of its buffer (_FORTIFY_SOURCE)"


def main():
    readelf, *files = sys.argv[1:]
    found = [f"{file}: {problem}" for file in files for problem in problems_of_linked(readelf, file)]
    print("\n".join(found) or f"{len(files)} files")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
