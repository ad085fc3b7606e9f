#!/usr/bin/env python3
"""How many instructions an uncontended cycle costs the client, beside what is written in instructions.json.

check.py PROGRAM COMPILER [--write]

callgrind counts instructions, not seconds, so that the machine's other work does not matter; system calls are not in it. Of
two runs of different length the difference is taken: what connecting costs falls out. More than 5 % beside the baseline, in
either direction, is an error: a regression, or a baseline that hides the next one. --write makes it anew.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

SHORT, LONG = 200, 1200
TOLERANCE = 0.05
KINDS = ("plain", "scripts", "hold", "detached", "asynchronous")
BASELINE = pathlib.Path(__file__).parent / "instructions.json"
SKIPPED = 77


def instructions(program, uri, kind, cycles):
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, uri, kind, str(cycles)],
        capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not found:
        sys.exit(f"callgrind of {kind} failed:\n{run.stderr}")
    return int(found.group(1))


def per_cycle(program, uri, kind):
    return (instructions(program, uri, kind, LONG) - instructions(program, uri, kind, SHORT)) / (LONG - SHORT)


def start_server(folder):
    path = f"{folder}/socket"
    program = shutil.which("redis-server") or shutil.which("valkey-server")
    server = subprocess.Popen([program, "--port", "0", "--unixsocket", path, "--save", "", "--dir", folder],
                              stdout=subprocess.DEVNULL)
    while not pathlib.Path(path).exists():
        if server.poll() is not None:
            sys.exit("the server ended at once")
        time.sleep(0.01)
    return server, f"unix://{path}"


def main():
    program, compiler, write = sys.argv[1], sys.argv[2], "--write" in sys.argv[3:]
    known = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    if compiler not in known and not write:
        print(f"there is no baseline for {compiler}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        server, uri = start_server(folder)
        try:
            now = {kind: round(per_cycle(program, uri, kind)) for kind in KINDS}
        finally:
            server.terminate()
            server.wait()
    if write:
        known[compiler] = now
        BASELINE.write_text(json.dumps(known, indent=4, sort_keys=True) + "\n")
        return 0
    failed = False
    for kind, count in now.items():
        change = count / known[compiler][kind] - 1
        failed = failed or abs(change) > TOLERANCE
        print(f"{kind}: {count} instructions a cycle, {change:+.1%} beside {known[compiler][kind]}")
    if failed:
        print(f"more than {TOLERANCE:.0%} away: mend it, or make the baseline anew with --write and say why")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
