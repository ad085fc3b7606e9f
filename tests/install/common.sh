# shellcheck shell=bash
# Shared by the scripts here. Sourced. From the environment: CMAKE, TREE, BUILD (built), CONSUMER, COMPILER, LAUNCHER, HAS_TOOL,
# HAS_ASIO and HAS_SHARED (1 where these are built).
set -euo pipefail
: "${CMAKE:?}" "${TREE:?}" "${BUILD:?}" "${CONSUMER:?}" "${COMPILER:?}" "${LAUNCHER=}"

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export REDLATCH_RUNTIME_DIR=$place/run
unset REDLATCH_SERVER REDLATCH_CONFIG REDLATCH_REQUIRE_SERVER
export LD_LIBRARY_PATH=''
unset DESTDIR PKG_CONFIG_PATH

fail() {
    echo "FAILED: $*"
    exit 1
}

quiet() { # CMD…: its output only if it fails
    "$@" >"$place/log" 2>&1 || {
        cat "$place/log"
        fail "$*"
    }
}

refused() { # SENTENCE CMD…: it fails, and says so; the lines of CMake's messages are put together
    local sentence=$1
    shift
    if "$@" >"$place/log" 2>&1; then fail "it succeeded: $*"; fi
    says "$sentence"
}

says() { # SENTENCE: the last command did
    tr -s ' \n' ' ' <"$place/log" >"$place/words"
    grep -qF -- "$1" "$place/words" || {
        cat "$place/log"
        fail "it does not say: $1"
    }
}

configure_consumer() { # -D…
    "$CMAKE" -S "$CONSUMER" -B "$place/consumer" -G Ninja -DCMAKE_CXX_COMPILER="$COMPILER" \
        -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Werror" "$@"
}
