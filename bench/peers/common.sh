# Sourced by each build.sh: what all of them do. The sourcing script has been called with OUTPUT.
# shellcheck shell=bash
set -euo pipefail
sources=$(cd "$(dirname "$0")" && pwd)
output=$1
log=$output/details.log

fail() { # SENTENCE: skipped, and why
    tail -n 5 "$log" >&2 || true
    echo "$1" >&2
    exit 1
}

need() { # PROGRAM…
    local program
    for program in "$@"; do
        command -v "$program" >"$log" || fail "$program is missing"
    done
}

finish() { # VERSIONS COMMAND…: what runs the peer
    local versions=$1
    shift
    {
        echo '#!/bin/sh'
        printf 'exec'
        printf ' "%s"' "$@"
        echo ' "$@"'
    } >"$output/run"
    chmod +x "$output/run"
    echo "$versions" >"$output/versions"
    echo "$wanted" >"$output/stamp"
}

wanted=$(cd "$sources" && find . -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -d' ' -f1)
if [[ -f $output/stamp && $(<"$output/stamp") == "$wanted" ]]; then exit 0; fi
