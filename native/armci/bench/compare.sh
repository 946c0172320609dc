#!/bin/sh
# Compares libarmci with Debian's libarmci-openmpi and libarmci-mpich: builds rows.c and dgemm.c with each, runs them in
# turn and prints medians and their ratios. compare.sh [--json FILE] [ROUNDS [PART...]], parts: node, across, dgemm
# (default: 5 rounds of all). The file is one of results, of which 'tributary bench report' makes a page.
# Needs libarmci-mpi-dev and what docs/global-arrays.md names, and libarmci built: mvn -pl native -am test-compile.
set -eu

here=$(CDPATH='' cd -P "$(dirname "$0")" && pwd)
built=${TRIBUTARY_ARMCI:-$here/../../target/cmake/armci/openmpi}
shared=$here/../../../benchmarks/src/main/sh
. "$shared/results.sh"
results_options "$here" "$@"
shift "$taken"
rounds=${1:-5}
results_numbers ROUNDS "$rounds"
[ $# -eq 0 ] || shift
parts=${*:-node across dgemm}
TRIBUTARY_HOME=${TRIBUTARY_HOME:-$(cd "$here/../../.." && pwd)}
OPENBLAS_NUM_THREADS=1
unset TRIBUTARY_NODES TRIBUTARY_NODE TRIBUTARY_ARMCI
export TRIBUTARY_HOME OPENBLAS_NUM_THREADS OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
[ -f "$built/libarmci.a" ] || { echo "no $built/libarmci.a: mvn -pl native -am test-compile" >&2; exit 1; }
results_work armci-compare

# build LIBRARY MPI ARCHIVE
build() {
    mpicc."$2" -O2 -Wall "$here/rows.c" -o "$work/rows-$1" "$3" -lm
    case $parts in *dgemm*)
        mpicc."$2" -O2 -Wall "$here/dgemm.c" -o "$work/dgemm-$1" -lga-"$2" -lscalapack-"$2" -llapack -lblas "$3" \
            -lgfortran -lm ;;
    esac
}
build ours openmpi "$built/libarmci.a"
build openmpi openmpi "${DEBIAN_ARMCI:-$(mpicc.openmpi -print-file-name=libarmci-openmpi.a)}"
build mpich mpich "$(mpicc.mpich -print-file-name=libarmci-mpich.a)"
java=$(results_java "$TRIBUTARY_HOME")

# run LIBRARY PART: once more, unless it has failed before
run() {
    [ ! -e "$work/failed-$1-$2" ] || return 0
    mpi=$1
    [ "$1" != ours ] || mpi=openmpi
    case $2 in
        node) layout=2 program=rows ;;
        across) layout=1,1 program=rows ;;
        dgemm) layout=2,2 program=dgemm ;;
    esac
    options=$(results_hosts "$work/host" $mpi $layout)
    case $1-$layout in openmpi-*,*) options="$options --mca osc pt2pt" ;; esac
    [ "$mpi" != openmpi ] || options="--oversubscribe $options"
    word=$2
    [ "$2" != dgemm ] || word=1024
    # shellcheck disable=SC2086
    if ! timeout 300 mpirun.$mpi $options -n "$(results_ranks $layout)" "$work/$program-$1" "$word" </dev/null \
        >"$work/out" 2>"$work/err"; then
        cat "$work/out" "$work/err" >&2
        [ "$1" != ours ] || exit 1
        echo "the part $2 failed with ARMCI-MPI, $1: its rows have no figures" >&2
        rm -f "$work/part-$1"
        : >"$work/failed-$1-$2"
        return 0
    fi
    sed -n "s/	\([0-9.]*\)\$/	$1	\1/p" "$work/out" >>"$work/part-$1"
}

for part in $parts; do
    round=0
    while [ $round -lt "$rounds" ]; do
        for library in openmpi mpich ours; do
            run $library "$part"
        done
        round=$((round + 1))
    done
    cat "$work"/part-* >>"$work/all"
    rm -f "$work"/part-*
done

# The order of rows is that of their first appearance. Those of the limit are the same for all libraries: the best one
# counts, and each large transfer of libarmci is held against it.
sort -s -t '	' -k 1,1 -k 2,2 -k 3,3n "$work/all" >"$work/sorted"
awk -F '\t' -v results="$work/rows" -v limits="$work/limits" '
    NR == FNR { if (!($1 in place)) { place[$1] = ++rows; name[rows] = $1 } next }
    { value[$1, $2, ++count[$1, $2]] = $3 }
    function median(row, library, n) {
        n = count[row, library]
        return n == 0 ? "" : (value[row, library, int((n + 1) / 2)] + value[row, library, int(n / 2) + 1]) / 2
    }
    function text(ns) { return ns == "" ? "" : ns < 1000 ? sprintf("%.0f ns", ns) \
        : ns < 1e6 ? sprintf("%.1f us", ns / 1e3) : sprintf("%.1f ms", ns / 1e6) }
    function least(a, b) { return a == "" || b != "" && b < a ? b : a }
    # A library that could not run a part has no figures there.
    function number(ns) { return ns == "" ? "null" : sprintf("%.4g", ns) }
    function times(ns, own) { return ns == "" || own == "" ? "null" : sprintf("%.4g", ns / own) }
    END {
        printf "| row | ARMCI-MPI, Open MPI | ARMCI-MPI, MPICH | libarmci | times faster |\n"
        printf "| --- | ---: | ---: | ---: | ---: |\n"
        for (i = 1; i <= rows; i++) {
            t = median(name[i], "openmpi"); m = median(name[i], "mpich"); o = median(name[i], "ours")
            if (name[i] ~ /^limit: /) {
                size = substr(name[i], 8)
                limit = least(least(t, m), o)
                printf "| %s | | | %s | |\n", name[i], text(limit)
                for (k = 1; k <= rows; k++) {
                    if (name[k] ~ "^across: " size " [a-z+]*$") {
                        own = median(name[k], "ours")
                        printf "%s        [\"%s\", %.4g, %.4g, %.4g]", (told++ ? ",\n" : ""), name[k], limit, own, \
                            limit / own >limits
                    }
                }
            } else {
                printf "| %s | %s | %s | %s | %s, %s |\n", name[i], text(t), text(m), text(o), times(t, o), times(m, o)
                printf "%s        [\"%s\", %s, %s, %s, %s, %s]", (printed++ ? ",\n" : ""), name[i], number(t), \
                    number(m), number(o), times(t, o), times(m, o) >results
            }
        }
    }' "$work/all" "$work/sorted"
[ -n "$json" ] || exit 0

mpi="$(mpicc.openmpi --showme:version | sed 's/.*\(Open MPI [^ ]*\).*/\1/'), MPICH $(mpichversion \
    | sed -n 's/^MPICH Version:[[:space:]]*//p')"
shows="The same program linked with Debian's \`libarmci-openmpi\`, with its \`libarmci-mpich\` and with this library, in"
shows="$shows turn: on a node, between nodes, and Global Arrays' matrix product."
method="Medians of $rounds runs each. \`node\`: 2 ranks on one node; all others: 2 ranks on 2 emulated hosts over TCP (the"
method="$method product: 4 on 2, which share memory on each), each row the median call, with the target in a barrier"
method="$method (\`across\`), in \`MPI_Recv\` (\`receiving\`, and the mean) or in a computation of 270 ms (\`computing\`, the mean). \`first\`: the mean of the first 200 calls of a job, 20 of"
method="$method those from 256 KiB on. The limit is one connection without a library that sends as much and waits for a"
method="$method byte."
limits=
[ ! -s "$work/limits" ] || limits=",
    {
      \"title\": \"Large transfers beside one connection\",
      \"columns\": [
        {\"name\": \"row\"},
        {\"name\": \"limit\", \"unit\": \"ns\"},
        {\"name\": \"libarmci\", \"unit\": \"ns\"},
        {\"name\": \"of the limit\", \"unit\": \"x\", \"better\": \"more\"}
      ],
      \"rows\": [
$(cat "$work/limits")
      ]
    }"
results_write "$json" "libarmci against ARMCI-MPI" "$shows" "$method" "$commit" "$mpi, $java" \
    "native/armci/bench/compare.sh $rounds $parts" <<END
    {
      "title": "Operations",
      "columns": [
        {"name": "row"},
        {"name": "ARMCI-MPI, Open MPI", "unit": "ns"},
        {"name": "ARMCI-MPI, MPICH", "unit": "ns"},
        {"name": "libarmci", "unit": "ns"},
        {"name": "times faster than with Open MPI", "unit": "x", "better": "more"},
        {"name": "than with MPICH", "unit": "x", "better": "more"}
      ],
      "rows": [
$(cat "$work/rows")
      ]
    }$limits
END
