#!/usr/bin/env bash
# Wherever the library is installed, pkg-config and find_package find it: below lib/<triplet>, deeper, in absolute folders, with
# a blank in the prefix, staged by DESTDIR. One more configuration of the tree; the libraries are those that are built.
# shellcheck source=common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

build=$place/build
configure() { # PREFIX LIBDIR INCLUDEDIR
    quiet "$CMAKE" -S "$TREE" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$COMPILER" -DREDLATCH_TESTS=OFF -DREDLATCH_CLI=OFF \
        -DBUILD_SHARED_LIBS="$HAS_SHARED" -DCMAKE_INSTALL_PREFIX="$1" -DCMAKE_INSTALL_LIBDIR="$2" \
        -DCMAKE_INSTALL_INCLUDEDIR="$3"
    cp -P "$BUILD"/libredlatch.* "$build"
}

"$COMPILER" -std=c++20 -I"$TREE/include" -c "$CONSUMER/consumer.cpp" -o "$place/consumer.o"

# Links what was compiled, and compiles nothing but the name of a header that must be found.
usable() { # LIBRARY-FOLDER
    local flags
    export PKG_CONFIG_PATH=$1/pkgconfig
    quiet pkg-config --validate redlatch
    eval "flags=($(pkg-config --cflags redlatch))" # quoted for a shell where a folder has a blank
    # shellcheck disable=SC2154 # by eval
    echo '#include <redlatch/version.hpp>' | quiet "$COMPILER" -E -x c++ "${flags[@]}" -
    eval "flags=($(pkg-config --libs redlatch))"
    quiet "$COMPILER" "$place/consumer.o" -o "$place/plain" "${flags[@]}"
    LD_LIBRARY_PATH=$1 "$place/plain"

    quiet configure_consumer -Dredlatch_DIR="$1/cmake/redlatch" -DCMAKE_CXX_COMPILER_LAUNCHER="$LAUNCHER"
    quiet "$CMAKE" --build "$place/consumer" --target consumer
    "$place/consumer/consumer"
}

echo "== what is not built is said"
configure /usr lib/x86_64-linux-gnu include
rm "$build"/libredlatch.*
refused "is not built: run cmake --build" "$CMAKE" --install "$build" --prefix "$place/none"

echo "== Debian's folders, staged"
configure /usr lib/x86_64-linux-gnu include
DESTDIR=$place/staged quiet "$CMAKE" --install "$build"
usable "$place/staged/usr/lib/x86_64-linux-gnu"

echo "== a deeper folder, and a prefix with a blank that is only said when it is installed"
configure "$place/not here" lib/a/b/c include/d
quiet "$CMAKE" --install "$build" --prefix "$place/odd place"
usable "$place/odd place/lib/a/b/c"
[[ ! -e "$place/not here" ]] || fail "something went to the prefix of the configuration"

echo "== an absolute library folder outside of the prefix"
configure "$place/prefix" "$place/elsewhere/lib" include
refused "say the prefix when redlatch is configured" "$CMAKE" --install "$build" --prefix "$place/another"
[[ ! -e $place/another && ! -e $place/elsewhere ]] || fail "something was installed"
quiet "$CMAKE" --install "$build"
usable "$place/elsewhere/lib"
