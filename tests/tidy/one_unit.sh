#!/usr/bin/env bash
# one_unit.sh CXX TREE GENERATED: the sources of each layer compile as one unit. Unity builds join several sources, and which
# ones depends on the names of the files: that two of them define one name must be found before a file joins or leaves.
set -euo pipefail
cxx=$1 tree=$2 generated=$3
status=0
for layer in 'src/base src/resp src/connection src/locking' 'src/io' 'src/api src/embedded'; do
    # shellcheck disable=SC2086 # several folders
    (cd "$tree" && find $layer -name '*.cpp' | LC_ALL=C sort | sed "s|.*|#include \"$tree/&\"|") |
        "$cxx" -std=c++20 -fsyntax-only -Wno-subobject-linkage -I"$tree"/{src,include} -I"$generated" -x c++ - || status=1
done
exit $status
