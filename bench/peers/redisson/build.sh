#!/usr/bin/env bash
# build.sh OUTPUT; see ../README.md.
source "$(dirname "$0")/../common.sh"

need java mvn
build() { mvn --quiet --batch-mode "$@" --file "$sources/pom.xml" "-Dpeer.output=$output" package >"$log" 2>&1; }
# What is in the local repository needs no download; only then the network is asked.
build --offline || build || fail "Maven cannot build it; see $log"
version=$(basename "$output"/lib/redisson-*.jar .jar)
finish "${version/-/ }, $(java -version 2>&1 | head -n 1)" \
    java -cp "$output/redisson-peer.jar:$output/lib/*" redlatch.bench.Peer
