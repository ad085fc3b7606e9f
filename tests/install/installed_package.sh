#!/usr/bin/env bash
# Installs into a folder, moves it, and builds a project against it: by find_package with each component, and by pkg-config.
# shellcheck source=common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

quiet "$CMAKE" --install "$BUILD" --prefix "$place/installed"
if [[ $HAS_TOOL == 1 ]]; then
    "$place/installed/bin/redlatch" version
    [[ -s $place/installed/share/man/man1/redlatch.1 ]] || fail "the manual page is not installed"
fi
mv "$place/installed" "$place/moved" # as a package is used: staged in one folder, unpacked in another

echo "== find_package"
quiet configure_consumer -DCMAKE_PREFIX_PATH="$place/moved" -DWANTED_COMPONENTS=static
quiet "$CMAKE" --build "$place/consumer"
"$place/consumer/consumer"
"$place/consumer/static_consumer"
if [[ $HAS_ASIO == 1 ]]; then "$place/consumer/asio_consumer"; fi
if ldd "$place/consumer/static_consumer" | grep libredlatch; then fail "redlatch::static is the shared library"; fi

echo "== who uses the shared library needs neither yaml-cpp nor hiredis; who uses the static one is told so"
without=(-DCMAKE_DISABLE_FIND_PACKAGE_yaml-cpp=ON -DHIREDIS_LIBRARY=HIREDIS_LIBRARY-NOTFOUND
    -DCMAKE_IGNORE_PATH="/usr/lib;/lib;/usr/lib/$(gcc -dumpmachine);/lib/$(gcc -dumpmachine)")
if [[ $HAS_SHARED == 1 ]]; then quiet configure_consumer "${without[@]}" -DWANTED_COMPONENTS=; fi
refused "redlatch::static needs hiredis (libhiredis-dev)" configure_consumer "${without[@]}" -DWANTED_COMPONENTS=static
rm -rf "$place/consumer/CMakeCache.txt"

echo "== what is not there is named"
there=(-DCMAKE_PREFIX_PATH="$place/moved")
refused "redlatch has no component 'fair'; it has 'static' and 'asio'." \
    configure_consumer "${there[@]}" -DWANTED_COMPONENTS="static;fair"
refused "Boost 1.81" configure_consumer "${there[@]}" -DWANTED_COMPONENTS=asio -DWANTED_IF_THERE= \
    -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON
quiet configure_consumer "${there[@]}" -DWANTED_COMPONENTS= -DWANTED_IF_THERE=asio \
    -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON
says "Boost 1.81"
# An application of another minor version.
refused "0.2" configure_consumer "${there[@]}" -DWANTED_COMPONENTS= -DWANTED_VERSION=0.2

echo "== pkg-config"
pc=$(find "$place/moved" -name redlatch.pc)
export PKG_CONFIG_PATH=${pc%/*}
quiet pkg-config --validate redlatch
read -ra cflags < <(pkg-config --cflags redlatch)
quiet "$COMPILER" -std=c++20 "${cflags[@]}" -c "$CONSUMER/consumer.cpp" -o "$place/consumer.o"
if [[ $HAS_SHARED == 1 ]]; then
    read -ra libs < <(pkg-config --libs redlatch)
    quiet "$COMPILER" "$place/consumer.o" -o "$place/by_name" "${libs[@]}"
    LD_LIBRARY_PATH=$(dirname "${pc%/*}") "$place/by_name"
fi

echo "== pkg-config --static"
read -ra libs < <(pkg-config --static --libs redlatch)
# As a whole where the archives of all libraries are there; glibc warns that name look-ups need its shared one.
quiet "$COMPILER" -static "$place/consumer.o" -o "$place/static" "${libs[@]}"
"$place/static"
