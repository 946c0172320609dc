#!/bin/sh
# build.sh TARGET [WHAT]: builds the C client in the folder TARGET, where its codecs have been generated. WHAT is
#   all      three times: as it is installed, with the sanitizers of memory, and with that of threads; with tests; and
#            installs the first to TARGET/prefix. Where a tool is missing it says so and builds nothing; tests are
#            skipped then.
#   client   what is installed, without tests; with options of CMake in NATIVE_CMAKE_OPTIONS, one a line
#   release  the same for a release, which may be in any folder, and installs it to TARGET/release
#   check    nothing: only sees whether the tools are there
set -eu

source=$(CDPATH='' cd -P "$(dirname "$0")" && pwd)
target=$1
what=${2:-all}
marker=$target/native-skipped
mkdir -p "$target"
rm -f "$marker"

missing=
command -v cmake >/dev/null || missing="$missing cmake"
command -v "${CC:-cc}" >/dev/null || missing="$missing gcc"
command -v ninja >/dev/null || command -v make >/dev/null || missing="$missing ninja-build"
if [ -n "$missing" ]; then
    message="the C client is not built, for these packages are missing:$missing (apt-get install cmake gcc ninja-build,"
    message="$message and valgrind for one more test; docs/global-arrays.md for libarmci)"
    [ "$what" = all ] || {
        echo "$message" >&2
        exit 1
    }
    echo "$message" | tee "$marker"
    exit 0
fi

[ "$what" != check ] || exit 0

# Files that have not changed keep their time, so that nothing is built anew without need.
codecs=$target/codecs
for part in wire shared; do
    mkdir -p "$codecs/$part"
    for header in "$target/generated-sources/sbe/$part"/*.h; do
        cmp -s "$header" "$codecs/$part/$(basename "$header")" || cp "$header" "$codecs/$part/"
    done
done

# build TREE CMAKE-TARGET [OPTION…]: configures each time, for only then CMake looks for packages that were missing.
build() {
    tree=$target/$1
    part=$2
    shift 2
    log=$tree.log
    if ! [ -f "$tree/CMakeCache.txt" ] && command -v ninja >/dev/null; then
        set -- -GNinja "$@"
    fi
    { cmake -S "$source" -B "$tree" -DTRIBUTARY_CODECS="$codecs" "$@" &&
        cmake --build "$tree" --target "$part" --parallel; } >"$log" 2>&1 || {
        cat "$log" >&2
        exit 1
    }
}

# tell_left_out TREE: the parts that CMake has left out, here and to install.sh.
tell_left_out() {
    sed -n 's/^-- \(.* is not built: .*\)/\1/p' "$target/$1.log" | tee "$target/left-out"
}

case $what in
all)
    build cmake all -DCMAKE_INSTALL_PREFIX="$target/prefix" -DCMAKE_INSTALL_LIBDIR=lib
    build cmake-sanitized all -DTRIBUTARY_SANITIZE=ON
    build cmake-threads all -DTRIBUTARY_SANITIZE=thread
    cmake --install "$target/cmake" >"$target/install.log"
    tell_left_out cmake
    ;;
client)
    set -f
    IFS='
'
    # shellcheck disable=SC2086
    build cmake installed -DCMAKE_INSTALL_PREFIX="$target/prefix" -DCMAKE_INSTALL_LIBDIR=lib \
        ${NATIVE_CMAKE_OPTIONS:-}
    tell_left_out cmake
    ;;
release)
    # The command is found by the path, and no path of this machine is in the libraries.
    build cmake-release installed -DTRIBUTARY_HOME= -DCMAKE_INSTALL_LIBDIR=lib -DTRIBUTARY_MAP_PATHS=ON
    rm -rf "$target/release"
    cmake --install "$target/cmake-release" --prefix "$target/release" --strip >"$target/install.log"
    tell_left_out cmake-release
    ;;
*)
    echo "build.sh: WHAT is all, client, check or release, not $what" >&2
    exit 2
    ;;
esac
