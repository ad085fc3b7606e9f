#!/usr/bin/env bash
# Builds the Java peer into a folder, once: build_peer.sh OUTPUT
# A later run with the same sources does nothing and needs neither Maven nor a network. On failure the last line of stderr says
# why.
set -euo pipefail
sources=$(cd "$(dirname "$0")/peer" && pwd)
output=$1
mkdir -p "$output"
exec 9>"$output/lock"
flock 9

wanted=$(cd "$sources" && find pom.xml src -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -d' ' -f1)
if [[ -f $output/stamp && $(<"$output/stamp") == "$wanted" ]]; then exit 0; fi

if ! command -v mvn >"$output/maven.log"; then
    echo "Maven is missing (package maven)" >&2
    exit 1
fi
build() { mvn --quiet --batch-mode "$@" --file "$sources/pom.xml" "-Dpeer.output=$output" package >"$output/maven.log" 2>&1; }
# What is in the local repository needs no download; only then the network is asked.
if ! build --offline && ! build; then
    cat "$output/maven.log" >&2
    echo "Maven could not build the Java peer; see $output/maven.log" >&2
    exit 1
fi
echo "$wanted" >"$output/stamp"
