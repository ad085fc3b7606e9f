#!/usr/bin/env bash
# run_example.sh PROGRAM EXPECTED: runs the program with an embedded server of its own and compares what it prints.
set -euo pipefail
unset REDLATCH_SERVER REDLATCH_CONFIG REDLATCH_REQUIRE_SERVER
REDLATCH_RUNTIME_DIR=$(mktemp -d)
export REDLATCH_RUNTIME_DIR
finish() {
    redis-cli -s "$REDLATCH_RUNTIME_DIR/redis.sock" shutdown nosave >/dev/null 2>&1 || true
    rm -rf "$REDLATCH_RUNTIME_DIR"
}
trap finish EXIT

printed=$("$1")
expected=$(printf '%b' "$2")
if [[ $printed != "$expected" ]]; then
    printf 'expected:\n%s\nprinted:\n%s\n' "$expected" "$printed"
    exit 1
fi
