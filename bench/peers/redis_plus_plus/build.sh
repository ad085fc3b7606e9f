#!/usr/bin/env bash
# build.sh OUTPUT; see ../README.md.
source "$(dirname "$0")/../common.sh"

cxx=${CXX:-g++}
need "$cxx"
header='#include <sw/redis++/patterns/redlock.h>'
"$cxx" -std=c++17 -E -x c++ - <<<"$header" >"$log" 2>&1 || {
    : >"$log" # the compiler's words are of no use
    fail "redis-plus-plus is not installed, and Debian 12 has no package of it"
}
"$cxx" -std=c++17 -O2 -pthread "$sources/peer.cpp" -o "$output/peer" -lredis++ -lhiredis >"$log" 2>&1 ||
    fail "it cannot be compiled with the redis-plus-plus that is installed; see $log"
finish "redis-plus-plus, as installed" "$output/peer"
