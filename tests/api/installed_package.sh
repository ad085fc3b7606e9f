#!/usr/bin/env bash
# installed_package.sh CMAKE BUILD CONSUMER COMPILER TOOL ASIO
# Installs into a folder, moves it, builds a project against it - by find_package and by pkg-config - and runs what was built.
# TOOL is 1 where the tool is built too, ASIO where redlatch::asio is.
set -euo pipefail
cmake=$1 build=$2 consumer=$3 compiler=$4 tool=$5 asio=$6

place=$(mktemp -d)
export REDLATCH_RUNTIME_DIR=$place/run
export LD_LIBRARY_PATH=
trap 'rm -rf "$place"' EXIT

"$cmake" --install "$build" --prefix "$place/installed" >"$place/log" 2>&1 || { cat "$place/log"; exit 1; }
if [[ $tool == 1 ]]; then
    "$place/installed/bin/redlatch" version
    [[ -s $place/installed/share/man/man1/redlatch.1 ]] || { echo "the manual page is not installed"; exit 1; }
fi

# As a package is used: staged in one folder, unpacked in another.
mv "$place/installed" "$place/moved"
echo "== find_package"
"$cmake" -S "$consumer" -B "$place/build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_COMPILER_LAUNCHER= \
    -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Werror" -DCMAKE_PREFIX_PATH="$place/moved" >"$place/log" 2>&1 &&
    "$cmake" --build "$place/build" >>"$place/log" 2>&1 || { cat "$place/log"; exit 1; }
"$place/build/consumer"
if [[ $asio == 1 ]]; then "$place/build/asio_consumer"; fi

echo "== pkg-config"
pc=$(find "$place/moved" -name redlatch.pc)
read -ra flags < <(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs redlatch)
"$compiler" -std=c++20 "$consumer/consumer.cpp" -o "$place/plain" "${flags[@]}"
LD_LIBRARY_PATH=$(dirname "$(dirname "$pc")") "$place/plain"

echo "== an application of another minor version is refused"
sed 's/redlatch 0\.1 /redlatch 0.2 /' "$consumer/CMakeLists.txt" >"$place/CMakeLists.txt"
cp "$consumer"/*.cpp "$place"
if "$cmake" -S "$place" -B "$place/other" -G Ninja -DCMAKE_PREFIX_PATH="$place/moved" >"$place/log" 2>&1; then
    echo "find_package(redlatch 0.2) was satisfied with this version"
    exit 1
fi
