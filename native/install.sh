#!/bin/sh
# install.sh PREFIX: builds what is needed of the C client and installs it: libraries, headers, the pkg-config file, the
# CMake package and tributary-bench. Needs the packages that the README names. Each prefix gets the same files.
set -eu

[ $# = 1 ] || {
    echo "usage: $0 PREFIX" >&2
    exit 2
}
source=$(dirname "$(readlink -f "$0")")
mkdir -p "$1"
[ -w "$1" ] || {
    echo "$0: $1 cannot be written to: choose another prefix" >&2
    exit 1
}
. "$source/../launcher/src/main/sh/maven.sh"
mkdir -p "$source/target"
echo "building the C client…" >&2
run_maven "$source/target/build.log" -f "$source/../pom.xml" -pl native -am -Dmaven.test.skip=true \
    -Dnative.build=client compile
cmake --install "$source/target/cmake" --prefix "$1"
[ ! -s "$source/target/left-out" ] || cat "$source/target/left-out" >&2
