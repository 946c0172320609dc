#!/bin/sh
# build.sh TREE FOLDER: builds the shim over libfabric in the folder TREE and copies it to FOLDER. Where a tool or
# libfabric-dev is missing it says so, in FOLDER/skipped too, and builds nothing.
set -eu

source=$(CDPATH='' cd -P "$(dirname "$0")" && pwd)
tree=$1
folder=$2
library=libtributary-fabric.so
mkdir -p "$tree" "$folder"

skip() {
    rm -f "$folder/$library"
    echo "$1 was missing when this was built (apt-get install cmake gcc libfabric-dev)" >"$folder/skipped"
    echo "the shim over libfabric is not built: $1 is missing (apt-get install cmake gcc libfabric-dev)"
    exit 0
}

command -v cmake >/dev/null || skip cmake
command -v "${CC:-cc}" >/dev/null || skip gcc
{ cmake -U CMAKE_C_FLAGS -S "$source" -B "$tree" && # flags of a tree that an older build made may not fit
    cmake --build "$tree"; } >"$tree/log" 2>&1 || {
    cat "$tree/log" >&2
    exit 1
}
[ -f "$tree/$library" ] || skip libfabric-dev
rm -f "$folder/skipped"
cmp -s "$tree/$library" "$folder/$library" || {
    cp "$tree/$library" "$folder/$library.new"
    strip --strip-debug "$folder/$library.new"
    mv "$folder/$library.new" "$folder/$library"
}
