"""exported_symbols.py LIBRARY: the shared library shows its public names and no others, of ours or of what it is made of."""

import re
import subprocess
import sys

PUBLIC = re.compile(
    r"^(?:(?:vtable|typeinfo|typeinfo name) for )?"
    r"redlatch::(?:basic_counter|basic_lock|basic_multi_lock|basic_semaphore|client|config|count_down_latch"
    r"|embedded_server|error|error_category|event_source|hold|hold_view|leader_election|leadership|lease_clock"
    r"|multi_hold|multi_lock|owner|permit_semaphore|permits|red_lock|reentrant_lock|replica_policy|semaphore|set_log_sink"
    r"|to_string)"
    r"(?:\[abi:\w+\])?(?:::|\(|$)"
)
INTERNAL = re.compile(r"^(?:[\w ]+ for )?(?:\S+ )?redlatch::")
# Instances of the standard library's templates over our types cannot be hidden, and do no harm. The mangled name tells them:
# the other one may begin with a return type of ours.
STANDARD = re.compile(r"_ZT?[A-Z]?N?K?(?:St|9__gnu_cxx)")
FOREIGN = re.compile(r"YAML::|\b(?:redis[A-Z]\w*|sds\w+|hi_\w+)\b")
NEEDED = [
    "redlatch::client::client(redlatch::config const&)",
    "redlatch::basic_lock::lock()",
    "redlatch::hold::~hold()",
    "redlatch::error_category()",
    "typeinfo for redlatch::error",
]


def symbols(library, *options):
    lines = subprocess.run(["nm", "-D", *options, library], check=True, capture_output=True, text=True).stdout
    mangled = [re.sub(r"^[0-9a-f]* *\w ", "", line).strip() for line in lines.splitlines()]
    names = "\n".join(name for name in mangled if not STANDARD.match(name))
    return subprocess.run(["c++filt"], input=names, check=True, capture_output=True, text=True).stdout.splitlines()


def main():
    library = sys.argv[1]
    shown = symbols(library, "--defined-only")
    problems = [f"missing: {name}" for name in NEEDED if name not in shown]
    problems += [f"shown, but internal: {name}" for name in shown if INTERNAL.search(name) and not PUBLIC.match(name)]
    problems += [f"shown, but not ours: {name}" for name in shown if FOREIGN.search(name)]
    problems += [f"wanted from others: {name}" for name in symbols(library, "--undefined-only") if "redis" in name]
    print("\n".join(problems) or f"{len(shown)} symbols")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
