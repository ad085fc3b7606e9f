#!/usr/bin/env bash
# build.sh OUTPUT; see ../README.md.
source "$(dirname "$0")/../common.sh"

need python3
python3 -m venv "$output/venv" >"$log" 2>&1 || fail "python3 cannot make a virtual environment (package python3-venv)"
"$output/venv/bin/pip" install --quiet --requirement "$sources/requirements.txt" >"$log" 2>&1 ||
    fail "pip cannot install redis-py; see $log"
say='import platform, redis; print(f"redis-py {redis.__version__}, Python {platform.python_version()}")'
# -B: Python leaves nothing beside the sources.
finish "$("$output/venv/bin/python" -c "$say")" "$output/venv/bin/python" -B "$sources/peer.py"
