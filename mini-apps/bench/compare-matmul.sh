#!/bin/sh
# Compares the program matmul with pdgemm of ScaLAPACK as Debian packages it (libscalapack-openmpi-dev,
# libopenblas-dev, openmpi-bin): the same sizes and ranks, in turn; prints medians and their ratios. On several nodes,
# Open MPI has emulated hosts (root only): its ranks communicate as those of matmul do.
# compare-matmul.sh [--json FILE] [ROUNDS [LAYOUTS...]] (default: 5 rounds with the layouts 2 and 1,1; the file is one
# of results, of which 'tributary bench report' makes a page).
set -eu

here=$(CDPATH='' cd -P "$(dirname "$0")" && pwd)
shared=$here/../../benchmarks/src/main/sh
. "$shared/results.sh"
results_needs mpicc.openmpi libopenmpi-dev
results_options "$here" "$@"
shift "$taken"
rounds=${1:-5}
results_numbers ROUNDS "$rounds"
[ $# -eq 0 ] || shift
layouts=${*:-2 1,1}
# shellcheck disable=SC2086
results_layouts $layouts
sizes='1024 2048'
block=128
repeats=5
warm_ups=5
results_start compare-matmul "$here/../.."
mpicc.openmpi -O2 -Wall "$here/pdgemm.c" -o "$work/pdgemm" -lscalapack-openmpi -lopenblas -lm

# run PROGRAM SIZE LAYOUT
run() {
    ranks=$(results_ranks "$3")
    case $1 in
        pdgemm)
            options=$(results_hosts "$work/host" openmpi "$3")
            # shellcheck disable=SC2086
            timeout 600 mpirun.openmpi --oversubscribe $options -n "$ranks" "$work/pdgemm" "$2" $block $repeats \
                $warm_ups </dev/null >"$work/out" 2>"$work/err" || { cat "$work/err" >&2; exit 1; }
            times=$(cat "$work/out") ;;
        matmul)
            timeout 600 "$tributary" run --layout "$3" --output plain matmul --size "$2" --iterations \
                $((repeats + warm_ups)) </dev/null >"$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }
            multiplier=$(sed -n 's/^matmul: .*, multiplied by //p' "$work/out")
            times=$(sed -n 's/^iteration [0-9]*: \([0-9.]*\) s, .*/\1/p' "$work/out" | tail -n $repeats) ;;
    esac
    seconds=$(echo "$times" | sort -n | sed -n "$(((repeats + 1) / 2))p")
    echo "$2 $3 $1 ${seconds:?$1 has printed no times}" >>"$work/all"
}

for size in $sizes; do
    for layout in $layouts; do
        results_turns "$rounds" pdgemm matmul "$size" "$layout"
    done
done

sort -s -k 1,1n -k 2,2 "$work/all" | results_medians pdgemm matmul | awk -v results="$work/rows" '
    BEGIN { printf "| size | layout | pdgemm | matmul | pdgemm / matmul |\n| ---: | --- | ---: | ---: | ---: |\n" }
    {
        printf "| %d | %s | %.4f s | %.4f s | %.2f |\n", $1, $2, $3, $4, $3 / $4
        printf "%s        [%d, \"%s\", %.4g, %.4g, %.4g]", (NR > 1 ? ",\n" : ""), $1, $2, 1000 * $3, 1000 * $4, \
            $3 / $4 >results
    }'
[ -n "$json" ] || exit 0

shows="The program \`matmul\` and \`pdgemm\` of ScaLAPACK as Debian packages it, with matrices of the same size."
method="Medians of $rounds jobs each, in turn; a job gives the median of $repeats products after $warm_ups others."
method="$method Doubles. \`pdgemm\`: blocks of $block, OpenBLAS with one thread a rank; on two nodes, which are emulated"
method="$method hosts for Open MPI, by TCP, and by shared memory on each, as \`matmul\`. That draws tiles from a counter, and multiplies them by $multiplier."
peers="ScaLAPACK $(dpkg-query -W -f '${Version}' libscalapack-openmpi2.2 | sed 's/-.*//')"
peers="$peers, OpenBLAS $(dpkg-query -W -f '${Version}' libopenblas0 | sed 's/[+-].*//')"
peers="$peers, Open MPI $(mpirun.openmpi --version | sed -n '1s/.* //p')"
results_write "$json" "matmul beside ScaLAPACK" "$shows" "$method" "$commit" \
    "$peers, $(results_java "$TRIBUTARY_HOME")" "mini-apps/bench/compare-matmul.sh $rounds $layouts" <<END
    {
      "columns": [
        {"name": "size"},
        {"name": "layout"},
        {"name": "pdgemm", "unit": "ms"},
        {"name": "matmul", "unit": "ms"},
        {"name": "speed of matmul to that of pdgemm", "unit": "x", "better": "more"}
      ],
      "rows": [
$(cat "$work/rows")
      ]
    }
END
