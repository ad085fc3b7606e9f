#!/usr/bin/env bash
# Packages that are missing: parts are left out, or what demands them fails; the package is named.
# shellcheck source=common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

configure() { # -D…
    "$CMAKE" -S "$TREE" -B "$place/build" -G Ninja -DCMAKE_CXX_COMPILER="$COMPILER" "$@"
}
without_tests=-DCMAKE_DISABLE_FIND_PACKAGE_GTest
without_tool=-DCMAKE_DISABLE_FIND_PACKAGE_CLI11

echo "== by default tests and tool are left out"
quiet configure $without_tests=ON $without_tool=ON
says "the tests are left out; they need GTest (libgtest-dev)"
says "the command-line tool is left out; it needs CLI11 (libcli11-dev)"
ninja -C "$place/build" -t targets all >"$place/targets"
grep -q '^libredlatch' "$place/targets" || fail "the library is not there"
if grep -E '^(cli|tests)/.*\.o:' "$place/targets"; then fail "what cannot be built is there"; fi

echo "== who demands them is refused"
refused "REDLATCH_TESTS is ON, but the tests cannot be built without GTest (libgtest-dev)" \
    configure -DREDLATCH_TESTS=ON $without_tests=ON
refused "REDLATCH_CLI is ON, but the command-line tool cannot be built without CLI11 (libcli11-dev)" \
    configure -DREDLATCH_TESTS=OFF -DREDLATCH_CLI=ON
refused "the benchmarks cannot be built without nlohmann_json (nlohmann-json3-dev)" \
    configure -DREDLATCH_CLI=OFF -DREDLATCH_BENCH=ON -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON

echo "== TLS"
quiet configure -DREDLATCH_BENCH=OFF -DREDLATCH_CLI=OFF -DOPENSSL_INCLUDE_DIR=/nowhere
says "TLS is left out; it needs the headers of OpenSSL 3 (libssl-dev)"
refused "REDLATCH_TLS is ON, but TLS cannot be built without the headers of OpenSSL 3 (libssl-dev)" \
    configure -DREDLATCH_TLS=ON -DOPENSSL_INCLUDE_DIR=/nowhere

echo "== what the library needs"
refused "redlatch needs yaml-cpp (libyaml-cpp-dev)" configure -DREDLATCH_TLS=OFF -DCMAKE_DISABLE_FIND_PACKAGE_yaml-cpp=ON

echo "== hiredis without its archive"
libraries=$(dirname "$("$COMPILER" -print-file-name=libhiredis.so)")
mkdir "$place/lib"
ln -s "$libraries"/libhiredis.so "$libraries"/libyaml-cpp.so "$place/lib"
hidden=-DCMAKE_IGNORE_PATH="/usr/lib;/lib;/usr/lib/$(gcc -dumpmachine);/lib/$(gcc -dumpmachine)"
rm "$place/build/CMakeCache.txt"
quiet configure -DREDLATCH_TESTS=OFF -DREDLATCH_CLI=OFF "$hidden" -DCMAKE_LIBRARY_PATH="$place/lib"
says "redlatch uses $place/lib/libhiredis.so"
grep -q "$place/lib/libhiredis.so" "$place/build/build.ninja" || fail "it is not linked with the shared hiredis"
refused "redlatch needs hiredis (libhiredis-dev)" configure "$hidden" \
    -DHIREDIS_LIBRARY=HIREDIS_LIBRARY-NOTFOUND -UCMAKE_LIBRARY_PATH
