#!/bin/sh
# install.sh PREFIX [-DNAME=VALUE…]: builds what is needed of the C client and installs it: libraries, headers, the
# pkg-config file, the CMake package and tributary-bench. Needs the packages that the README names. Each prefix gets the
# same files. Options go to CMake, which keeps them for later builds.
set -eu

usage() {
    echo "usage: $0 PREFIX [-DNAME=VALUE…]" >&2
    exit 2
}

case ${1:--} in -*) usage ;; esac
prefix=$1
shift
for option; do
    case $option in -D*) ;; *) usage ;; esac
done
NATIVE_CMAKE_OPTIONS=$(printf '%s\n' "$@")
export NATIVE_CMAKE_OPTIONS
source=$(dirname "$(readlink -f "$0")")
# All may read what is installed, as its files say, whatever the umask of who installs it.
(umask 022 && mkdir -p "$prefix")
[ -w "$prefix" ] || {
    echo "$0: $prefix cannot be written to: choose another prefix" >&2
    exit 1
}
. "$source/../launcher/src/main/sh/maven.sh"
mkdir -p "$source/target"
echo "building the C client…" >&2
run_maven "$source/target/build.log" -f "$source/../pom.xml" -pl native -am -Dmaven.test.skip=true \
    -Dnative.build=client compile
(umask 022 && cmake --install "$source/target/cmake" --prefix "$prefix")
[ ! -s "$source/target/left-out" ] || cat "$source/target/left-out" >&2
