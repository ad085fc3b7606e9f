#!/usr/bin/env bash
# build.sh OUTPUT; see ../README.md.
source "$(dirname "$0")/../common.sh"

need cargo
cargo build --quiet --locked --release --manifest-path "$sources/Cargo.toml" --target-dir "$output/target" >"$log" 2>&1 ||
    fail "cargo cannot build it; see $log"
version() { grep -A1 "^name = \"$1\"" "$sources/Cargo.lock" | sed -n 's/^version = "\(.*\)"/\1/p'; }
libraries="rslock $(version rslock), redis $(version redis), tokio $(version tokio)"
finish "$libraries, $(rustc --version | cut -d' ' -f1-2)" "$output/target/release/redlatch-bench-peer"
