#!/usr/bin/env bash
# redlatch's tree in a user's project, in both forms.
# shellcheck source=common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

# Beside the build, at its depth, with its flags, and compiled from there, as make does it: ccache then knows the objects.
folder=$place/build
redlatch=$(mktemp -d "${BUILD%/*}/subproject.XXXXXX")
trap 'rm -rf "$place" "$redlatch"' EXIT
build() { # -D…
    quiet "$CMAKE" -S "$(dirname "$CONSUMER")/subproject" -B "$folder" -G "Unix Makefiles" -DCMAKE_CXX_COMPILER="$COMPILER" \
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER_LAUNCHER="$LAUNCHER" -DREDLATCH_TREE="$TREE" -DREDLATCH_WERROR=ON \
        -DREDLATCH_BINARY="$redlatch" "$@"
    quiet "$CMAKE" --build "$folder" --parallel 2
    "$folder/consumer"
}

echo "== BUILD_SHARED_LIBS is off"
build -DBUILD_SHARED_LIBS=OFF
if ldd "$folder/consumer" | grep libredlatch; then fail "it is linked with the shared library"; fi
[[ -z $(find "$redlatch" -name 'libredlatch.so*') ]] || fail "a shared library was built"

echo "== nothing is said"
build -UBUILD_SHARED_LIBS
# Not `grep -q`: it goes when it has seen enough, and then ldd ends by SIGPIPE, which pipefail takes for a failure.
ldd "$folder/consumer" | grep libredlatch >"$place/linked" || fail "it is not linked with the shared library"

echo "== nothing but the library is built, nothing is installed"
built=$(find "$redlatch" -name '*.o' -printf '%P\n')
[[ -n $built ]] || fail "nothing is built"
if grep -E '^(cli|tests|bench|examples)/' <<<"$built"; then fail "more than the library is built"; fi
quiet "$CMAKE" --install "$folder" --prefix "$place/installed"
[[ ! -e $place/installed ]] || fail "a subproject installed something"
