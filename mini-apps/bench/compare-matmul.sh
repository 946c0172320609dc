#!/bin/sh
# Compares the program matmul with pdgemm of ScaLAPACK as Debian packages it (libscalapack-openmpi-dev,
# libopenblas-dev, openmpi-bin): the same sizes and ranks, in turn; prints medians and their ratios. On several nodes,
# Open MPI has emulated hosts (root only): its ranks communicate as those of matmul do.
# compare-matmul.sh [--json FILE] [ROUNDS [LAYOUTS...]] (default: 5 rounds with the layouts 2 and 1,1; the file is one
# of results, of which 'tributary bench report' makes a page).
set -eu

here=$(CDPATH='' cd -P "$(dirname "$0")" && pwd)
TRIBUTARY_HOME=${TRIBUTARY_HOME:-$(cd "$here/../.." && pwd)}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
command -v mpicc.openmpi >/dev/null || { echo "no mpicc.openmpi: install libopenmpi-dev" >&2; exit 1; }
shared=$here/../../benchmarks/src/main/sh
. "$shared/results.sh"
tributary=$(results_command "$TRIBUTARY_HOME")
results_options "$here" "$@"
shift "$taken"
rounds=${1:-5}
results_rounds "$rounds"
[ $# -eq 0 ] || shift
layouts=${*:-2 1,1}
# shellcheck disable=SC2086
results_layouts $layouts
sizes='1024 2048'
block=128
repeats=5
warm_ups=5
work=$(mktemp -d "${TMPDIR:-/tmp}/compare-matmul.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
ln -s "$shared/emulated-host.sh" "$work/host"
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
        round=0
        while [ $round -lt "$rounds" ]; do
            run pdgemm "$size" "$layout"
            run matmul "$size" "$layout"
            round=$((round + 1))
        done
    done
done

sort -s -k 1,1n -k 2,2 -k 3,3 -k 4,4n "$work/all" | awk -v results="$work/rows" '
    { key = $1 " " $2; value[key, $3, ++count[key, $3]] = $4 }
    !(key in known) { known[key] = 1; order[++rows] = key }
    function median(key, program, n) {
        n = count[key, program]
        return (value[key, program, int((n + 1) / 2)] + value[key, program, int(n / 2) + 1]) / 2
    }
    END {
        printf "| size | layout | pdgemm | matmul | pdgemm / matmul |\n| ---: | --- | ---: | ---: | ---: |\n"
        for (i = 1; i <= rows; i++) {
            split(order[i], word, " "); p = median(order[i], "pdgemm"); m = median(order[i], "matmul")
            printf "| %d | %s | %.4f s | %.4f s | %.2f |\n", word[1], word[2], p, m, p / m
            printf "%s        [%d, \"%s\", %.4g, %.4g, %.4g]", (i > 1 ? ",\n" : ""), word[1], word[2], 1000 * p, \
                1000 * m, p / m >results
        }
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
