#!/bin/sh
# Compares the programs lu and multigrid with LU and MG of the NAS Parallel Benchmarks, version 3.4, in Fortran over
# Open MPI (libopenmpi-dev, openmpi-bin, gfortran, make): the same classes and ranks, in turn; prints medians and their
# ratios. On several nodes, Open MPI has emulated hosts (root only): its ranks communicate as those of lu and
# multigrid do, by TCP between nodes and by shared memory on each.
# compare-npb.sh [--json FILE] FOLDER [ROUNDS [LAYOUTS...]] (default: 3 rounds with the layouts 2, 1,1, 4 and 2,2; the
# file is one of results, of which 'tributary bench report' makes a page). FOLDER is NPB3.4-MPI of the sources, which
# are at https://www.nas.nasa.gov/software/npb.html; it stays as it is.
set -eu

here=$(CDPATH='' cd -P "$(dirname "$0")" && pwd)
shared=$here/../../benchmarks/src/main/sh
. "$shared/results.sh"
results_needs mpif90.openmpi "libopenmpi-dev and gfortran"
results_options "$here" "$@"
shift "$taken"
sources=${1:?no folder NPB3.4-MPI; usage: compare-npb.sh [--json FILE] FOLDER [ROUNDS [LAYOUTS...]]}
[ -d "$sources/LU" ] && [ -d "$sources/MG" ] || { echo "no programs LU and MG in $sources" >&2; exit 2; }
rounds=${2:-3}
results_numbers ROUNDS "$rounds"
shift "$(($# < 2 ? $# : 2))"
layouts=${*:-2 1,1 4 2,2}
# shellcheck disable=SC2086
results_layouts $layouts
results_start compare-npb "$here/../.."

flags='-O3 -march=native -fallow-argument-mismatch'
mkdir "$work/npb"
cp -R "$sources/." "$work/npb"
mkdir -p "$work/npb/bin"
find "$work/npb" \( -name '*.o' -o -name '*.mod' -o -name '*.x' \) -exec rm -f {} +
cat >"$work/npb/config/make.def" <<END
MPIFC = mpif90.openmpi
FLINK = mpif90.openmpi
FFLAGS = $flags
FLINKFLAGS = $flags
CC = gcc
BINDIR = ../bin
RAND = randi8
END
problems='lu.W lu.A mg.A mg.B'
for problem in $problems; do
    make -C "$work/npb" "${problem%.*}" CLASS="${problem#*.}" >"$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }
done

# run PROGRAM PROBLEM LAYOUT
run() {
    case $1 in
        npb)
            options=$(results_hosts "$work/host" openmpi "$3")
            # shellcheck disable=SC2086
            timeout 900 mpirun.openmpi --oversubscribe $options -n "$(results_ranks "$3")" "$work/npb/bin/$2.x" \
                </dev/null >"$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }
            version=$(sed -n 's/^ *Version *= *//p' "$work/out")
            passed=$(grep -c '^ *Verification *= *SUCCESSFUL' "$work/out") || true
            seconds=$(sed -n 's/^ *Time in seconds *= *//p' "$work/out") ;;
        tributary)
            name=${2%.*}
            [ "$name" = lu ] || name=multigrid
            timeout 900 "$tributary" run --layout "$3" --output plain "$name" --class "${2#*.}" \
                </dev/null >"$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }
            passed=$(grep -c '^verification: .*: passed$' "$work/out") || true
            seconds=$(sed -n 's/^\([0-9.]*\) s, .*/\1/p' "$work/out") ;;
    esac
    [ "$passed" = 1 ] || { cat "$work/out" >&2; echo "$1: no verification of $2" >&2; exit 1; }
    echo "$2 $3 $1 ${seconds:?$1 has printed no time}" >>"$work/all"
}

for problem in $problems; do
    for layout in $layouts; do
        results_turns "$rounds" npb tributary "$problem" "$layout"
    done
done

sort -s -k 1,1 -k 2,2 "$work/all" | results_medians npb tributary | awk -v results="$work/rows" '
    BEGIN {
        printf "| problem | layout | NPB | tributary | NPB / tributary |\n| --- | --- | ---: | ---: | ---: |\n"
    }
    {
        printf "| %s | %s | %.3f s | %.3f s | %.2f |\n", $1, $2, $3, $4, $3 / $4
        printf "%s        [\"%s\", \"%s\", %.4g, %.4g, %.4g, \">= 1/1.3\", %s]", (NR > 1 ? ",\n" : ""), $1, $2, $3, \
            $4, $3 / $4, (1.3 * $3 >= $4 ? "true" : "false") >results
    }'
[ -n "$json" ] || exit 0

shows="The programs \`lu\` and \`multigrid\` and those of the NAS Parallel Benchmarks in Fortran over Open MPI, with the"
shows="$shows same classes: time of the steps."
method="Medians of $rounds runs each, in turn. Times are those that the programs print; all met the published values."
method="$method Fortran: \`gfortran $flags\`; on two nodes, which are emulated hosts, by TCP, and by"
method="$method shared memory on each, as ours. \`mg\` is \`multigrid\`."
peers="NPB $version, $(mpif90.openmpi --version | sed -n '1s/.*) \([0-9.]*\).*/GNU Fortran \1/p')"
peers="$peers, Open MPI $(mpirun.openmpi --version | sed -n '1s/.* //p')"
results_write "$json" "lu and multigrid beside NPB" "$shows" "$method" "$commit" \
    "$peers, $(results_java "$TRIBUTARY_HOME")" "mini-apps/bench/compare-npb.sh NPB3.4-MPI $rounds $layouts" <<END
    {
      "columns": [
        {"name": "problem"},
        {"name": "layout"},
        {"name": "NPB", "unit": "s"},
        {"name": "tributary", "unit": "s"},
        {"name": "speed of tributary to that of NPB", "unit": "x", "better": "more"},
        {"name": "aim"},
        {"name": "met"}
      ],
      "rows": [
$(cat "$work/rows")
      ]
    }
END
