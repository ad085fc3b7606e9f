#!/usr/bin/env bash
# build.sh OUTPUT; see ../README.md.
source "$(dirname "$0")/../common.sh"

need go
# Versions are pinned in go.mod, their hashes in go.sum; a toolchain that is too old is not replaced.
(cd "$sources" && GOTOOLCHAIN=local GOFLAGS=-mod=readonly go build -buildvcs=false -o "$output/peer" .) >"$log" 2>&1 ||
    fail "go cannot build it; see $log"
version() { sed -n "s|^\t.*$1 v\([^ ]*\)$|\1|p" "$sources/go.mod"; }
libraries="redislock $(version bsm/redislock), redsync $(version redsync/v4), go-redis $(version go-redis/v9)"
finish "$libraries, $(go env GOVERSION)" "$output/peer"
