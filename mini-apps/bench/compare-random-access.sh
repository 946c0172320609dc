#!/bin/sh
# Compares the program random-access with RandomAccess of the HPC Challenge as Debian packages it (hpcc, openmpi-bin): a
# table of the same size and 4 updates for each word, in turn; prints medians and their ratios. On several nodes, Open
# MPI has emulated hosts (root only): its ranks communicate as those of random-access do.
# compare-random-access.sh [--json FILE] [ROUNDS [LAYOUTS...]] (default: 5 rounds with the layouts 2 and 1,1; the file
# is one of results, of which 'tributary bench report' makes a page).
set -eu

here=$(CDPATH='' cd -P "$(dirname "$0")" && pwd)
shared=$here/../../benchmarks/src/main/sh
. "$shared/results.sh"
results_needs hpcc hpcc
results_options "$here" "$@"
shift "$taken"
rounds=${1:-5}
results_numbers ROUNDS "$rounds"
[ $# -eq 0 ] || shift
layouts=${*:-2 1,1}
# shellcheck disable=SC2086
results_layouts $layouts
log2=22
results_start compare-random-access "$here/../.."

# input RANKS: a matrix of 2500 rows, of whose 6 million words the challenge takes as many as are a power of 2
input() {
    cat <<END
HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
2500         Ns
1            # of NBs
80           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
1            Ps
$1            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0            Number of additional problem sizes for PTRANS
1200         values of N
0            number of additional blocking sizes for PTRANS
40           values of NB
END
}

# run PROGRAM LAYOUT
run() {
    ranks=$(results_ranks "$2")
    case $1 in
        hpcc)
            options=$(results_hosts "$work/host" openmpi "$2")
            input "$ranks" >"$work/hpccinf.txt"
            rm -f "$work/hpccoutf.txt"
            # shellcheck disable=SC2086
            (cd "$work" && timeout 900 mpirun.openmpi --oversubscribe $options -n "$ranks" hpcc) </dev/null \
                >"$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }
            words=$(sed -n 's/^MPIRandomAccess_N=//p' "$work/hpccoutf.txt")
            [ "$words" = $((1 << log2)) ] || { echo "hpcc has a table of $words words" >&2; exit 1; }
            rate=$(sed -n 's/^MPIRandomAccess_GUPs=//p' "$work/hpccoutf.txt") ;;
        random-access)
            timeout 600 "$tributary" run --layout "$2" --output plain random-access --table-log2 $log2 \
                </dev/null >"$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }
            rate=$(sed -n 's/^[0-9.]* s, \([0-9.]*\) GUPS$/\1/p' "$work/out") ;;
    esac
    echo "$2 $1 ${rate:?$1 has printed no rate}" >>"$work/all"
}

for layout in $layouts; do
    results_turns "$rounds" hpcc random-access "$layout"
done

sort -s -k 1,1 "$work/all" | results_medians hpcc random-access | awk -v results="$work/rows" '
    BEGIN { printf "| layout | HPCC | random-access | random-access / HPCC |\n| --- | ---: | ---: | ---: |\n" }
    {
        h = 1000 * $2; r = 1000 * $3
        printf "| %s | %.3f MUPS | %.3f MUPS | %.2f |\n", $1, h, r, r / h
        printf "%s        [\"%s\", %.4g, %.4g, %.4g]", (NR > 1 ? ",\n" : ""), $1, h, r, r / h >results
    }'
[ -n "$json" ] || exit 0

shows="The program \`random-access\` and RandomAccess of the HPC Challenge as Debian packages it: millions of updates a"
shows="$shows second of a table of the same size."
method="Medians of $rounds jobs each, in turn. A table of 2^$log2 words over all ranks, 4 updates for each word. Both share"
method="$method memory on a node, and communicate by TCP between nodes (HPCC: emulated hosts)."
peers="HPCC $(dpkg-query -W -f '${Version}' hpcc | sed 's/-.*//')"
peers="$peers, Open MPI $(mpirun.openmpi --version | sed -n '1s/.* //p')"
results_write "$json" "random-access beside HPC Challenge" "$shows" "$method" "$commit" \
    "$peers, $(results_java "$TRIBUTARY_HOME")" "mini-apps/bench/compare-random-access.sh $rounds $layouts" <<END
    {
      "columns": [
        {"name": "layout"},
        {"name": "HPCC", "unit": "M updates/s"},
        {"name": "random-access", "unit": "M updates/s"},
        {"name": "speed of random-access to that of HPCC", "unit": "x", "better": "more"}
      ],
      "rows": [
$(cat "$work/rows")
      ]
    }
END
