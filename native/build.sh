#!/bin/sh
# Builds the C client three times, as it is installed, with the sanitizers of memory, and with that of threads, and
# installs it to a prefix in the target folder.
# Where a tool is missing it says so and builds nothing; the tests are skipped then.
set -eu

source=$(CDPATH='' cd -P "$(dirname "$0")" && pwd)
target=$1
marker=$target/native-skipped
mkdir -p "$target"
rm -f "$marker"

missing=
command -v cmake >/dev/null || missing="$missing cmake"
command -v "${CC:-cc}" >/dev/null || missing="$missing gcc"
command -v ninja >/dev/null || command -v make >/dev/null || missing="$missing ninja-build"
if [ -n "$missing" ]; then
    echo "the C client is not built, for these packages are missing:$missing" \
        "(apt-get install cmake gcc ninja-build, and valgrind for one more test; docs/global-arrays.md for libarmci)" | tee "$marker"
    exit 0
fi

# Files that have not changed keep their time, so that nothing is built anew without need.
codecs=$target/codecs
for part in wire shared; do
    mkdir -p "$codecs/$part"
    for header in "$target/generated-sources/sbe/$part"/*.h; do
        cmp -s "$header" "$codecs/$part/$(basename "$header")" || cp "$header" "$codecs/$part/"
    done
done

generator=
if command -v ninja >/dev/null; then
    generator="-G Ninja"
fi

build() {
    tree=$target/$1
    shift
    log=$tree.log
    # shellcheck disable=SC2086
    { [ -f "$tree/CMakeCache.txt" ] || cmake $generator -S "$source" -B "$tree" -DTRIBUTARY_CODECS="$codecs" "$@"; } \
        >"$log" 2>&1 && cmake --build "$tree" --parallel >>"$log" 2>&1 || {
        cat "$log" >&2
        exit 1
    }
}

build cmake -DCMAKE_INSTALL_PREFIX="$target/prefix"
build cmake-sanitized -DTRIBUTARY_SANITIZE=ON
build cmake-threads -DTRIBUTARY_SANITIZE=thread
cmake --install "$target/cmake" >"$target/install.log"
