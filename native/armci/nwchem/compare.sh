#!/bin/bash
# Runs cases of NWChem's own tests over Tributary's libarmci and over ARMCI-MPI, in turn, with the two programs that
# build.sh has linked, on 1, 2 and 4 nodes; several are emulated hosts (root only), whose ranks share memory, and reach
# those of others by TCP. Compares the output with the reference that the tests have, by the tests' own program
# (nwparse.pl), and the energies of both; prints medians of times and their ratios. Exits with 1 if libarmci fails, or
# gives neither the answer of the reference nor that of ARMCI-MPI.
# compare.sh [--json FILE] FOLDER [ROUNDS [CASE...]] (default: 3 rounds of the cases below; the file is one of results,
# of which 'tributary bench report' makes a page). FOLDER is that of build.sh; outputs go to its folder runs.
# Variables of the environment: RANKS (default 4), NODES (default "1 2 4"), LIMIT of a run in seconds (default 600).
set -eu

# layout RANKS NODES: ranks of each node
layout() {
    awk -v ranks="$1" -v nodes="$2" 'BEGIN {
        for (i = 0; i < nodes; i++) printf "%s%d", i ? "," : "", int(ranks / nodes) + (i < ranks % nodes)
    }'
}

here=$(CDPATH='' cd -P "$(dirname "$0")" && pwd)
usage="usage: compare.sh [--json FILE] FOLDER [ROUNDS [CASE...]]"
shared=$here/../../../benchmarks/src/main/sh
. "$shared/results.sh"
results_options "$here" "$@"
shift "$taken"
folder=$(realpath -m "${1:?$usage}")
rounds=${2:-3}
results_numbers ROUNDS "$rounds"
shift "$(($# < 2 ? $# : 2))"
# SCF, then DFT, then MP2 and CCSD; energies, gradients, optimizations, frequencies.
cases=("$@")
chosen=${*:+ $*}
[ $# -gt 0 ] || cases=(h2o be tagcheck h2o_opt scf_feco5 hess_h2o c2h4 "dft_he2+" dft_ozone dft_meta h2o-b3lyp-disp
    dft_siosi3 h2mp2 auh2o n2_ccsd)
ranks=${RANKS:-4}
nodes=${NODES:-1 2 4}
for count in $nodes; do
    [[ $count =~ ^[1-9][0-9]*$ && $ranks =~ ^[1-9][0-9]*$ && $count -le $ranks ]] \
        || { echo "RANKS='$ranks' cannot be on '$count' nodes (NODES='$nodes')" >&2; exit 2; }
done
top=$(echo "$folder"/nwchem-*/QA)
top=${top%/QA}
for program in tributary armci-mpi; do
    [ -x "$folder/bin/nwchem-$program" ] || { echo "no $folder/bin/nwchem-$program: build.sh $folder" >&2; exit 1; }
done
for case in "${cases[@]}"; do
    [ -f "$top/QA/tests/$case/$case.out" ] || { echo "no test '$case' in $top/QA/tests" >&2; exit 2; }
done
TRIBUTARY_HOME=${TRIBUTARY_HOME:-$(cd "$here/../../.." && pwd)}
unset TRIBUTARY_NODES TRIBUTARY_NODE
export TRIBUTARY_HOME NWCHEM_TOP="$top" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export NWCHEM_BASIS_LIBRARY="$top/src/basis/libraries/" NWCHEM_NWPW_LIBRARY="$top/src/nwpw/libraryps/"
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
java=$(results_java "$TRIBUTARY_HOME") # builds it if need be, before anything is measured
results_work compare-nwchem
: >"$work/all"

# energies FILE: all total energies of an output, hartree
energies() {
    sed -nE 's/^ *Total (SCF|DFT|MP2|CCSD|CCSD\(T\)) energy:? *=? *(-?[0-9.]+).*/\2/p' "$1"
}

# parsed FILE: what the tests compare
parsed() {
    perl "$top/QA/nwparse.pl" -q "$1" >/dev/null 2>&1 && [ -s "$1.nwparse" ]
}

# run CASE LIBRARY NODES: once more, unless ARMCI-MPI has failed there before
run() {
    [ "$2" = tributary ] || [ ! -e "$work/failed-$1-$3" ] || return 0
    directory=$folder/runs/$1-$2-$3
    source=$top/QA/tests/$1
    rm -rf "$directory"
    mkdir -p "$directory/scratch"
    cp "$source/$1.out" "$directory/reference"
    find "$source" -maxdepth 1 -type f ! -name '*.out*' ! -name '*.nw' -exec cp {} "$directory/scratch" \;
    hosts=$(results_hosts "$work/host" openmpi "$(layout "$ranks" "$3")")
    read -ra options <<<"--oversubscribe -n $ranks $hosts"
    [ "$2" = tributary ] || [ "$3" = 1 ] || options+=(--mca osc pt2pt)
    began=$EPOCHREALTIME
    if ! (cd "$directory/scratch" && timeout -k 10 "${LIMIT:-600}" mpirun.openmpi "${options[@]}" \
        "$folder/bin/nwchem-$2" "$source/$1.nw" </dev/null >../output 2>../errors); then
        tail -n 20 "$directory/output" "$directory/errors" >&2
        echo "$1 failed over $2, nodes: $3; its outputs are in $directory" >&2
        [ "$2" != tributary ] || exit 1
        : >"$work/failed-$1-$3"
        grep -vF "$1 $2 $3 " "$work/all" >"$work/others" || true # fewer rounds are no figure
        mv "$work/others" "$work/all"
        return 0
    fi
    ended=$EPOCHREALTIME
    verdict=other
    beside=$folder/runs/$1-armci-mpi-$3/output
    if parsed "$directory/output" && parsed "$directory/reference"; then
        if diff -w "$directory/reference.nwparse" "$directory/output.nwparse" >"$directory/differences"; then
            verdict=same
        elif [ "$2" = tributary ] && diff -qw "$beside.nwparse" "$directory/output.nwparse" >/dev/null 2>&1; then
            verdict=as-armci-mpi
        fi
    fi
    rm -rf "$directory/scratch"
    own=$(sed -n 's/^ *Total times *cpu: .*wall: *\([0-9.]*\)s.*/\1/p' "$directory/output" | tail -n 1)
    row="$1 $2 $3 $(echo "$began $ended" | awk '{ printf "%.3f", $2 - $1 }') ${own:?$1 printed no times} $verdict"
    echo "$row" >>"$work/all"
    echo "$row" >&2
}

for case in "${cases[@]}"; do
    for ((round = 0; round < rounds; round++)); do
        for count in $nodes; do
            run "$case" armci-mpi "$count"
            run "$case" tributary "$count"
        done
    done
    # How far energies of the last round are apart.
    for count in $nodes; do
        beside=$folder/runs/$case-armci-mpi-$count/output
        paste <(energies "$folder/runs/$case-tributary-$count/output") <([ ! -f "$beside" ] || energies "$beside") \
            | awk -v row="$case $count" '
                { d = $1 - $2; if (d < 0) d = -d; if (d > most) most = d; if (NF != 2) odd = 1 }
                END { print row, NR == 0 || odd ? "null" : sprintf("%.1e", most) }' >>"$work/energies"
    done
done

sort -s -k 1,1 -k 2,2 -k 3,3 -k 4,4n "$work/all" >"$work/sorted"
: >"$work/wrong"
awk -v results="$work/rows" -v wrong="$work/wrong" '
    FILENAME ~ /energies$/ { apart[$1, $2] = $3; order[++rows] = $1 " " $2; next }
    { key = $1 SUBSEP $2 SUBSEP $3; value[key, ++count[key]] = $4; own[key] = own[key] " " $5
        if (!(key in answers) || answers[key] == "same" || $6 == "other") answers[key] = $6 }
    function median(key, n) {
        n = count[key]
        return (value[key, int((n + 1) / 2)] + value[key, int(n / 2) + 1]) / 2
    }
    function inner(key, list, n, i, j, t) {
        n = split(own[key], list, " ")
        for (i = 2; i <= n; i++) for (j = i; j > 1 && list[j - 1] + 0 > list[j] + 0; j--) {
            t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
        return (list[int((n + 1) / 2)] + list[int(n / 2) + 1]) / 2
    }
    function answer(key) { return (key in answers) ? answers[key] : "none" }
    function number(x) { return (x == "") ? "null" : sprintf("%.4g", x) }
    END {
        printf "| case | nodes | ARMCI-MPI | libarmci | ARMCI-MPI / libarmci | calculation alone | answers as the"
        printf " reference, ARMCI-MPI and libarmci | energies differ by |\n"
        printf "| --- | ---: | ---: | ---: | ---: | ---: | --- | ---: |\n"
        for (i = 1; i <= rows; i++) {
            split(order[i], word, " ")
            a = word[1] SUBSEP "armci-mpi" SUBSEP word[2]
            t = word[1] SUBSEP "tributary" SUBSEP word[2]
            hasPeer = (a in count); peer = hasPeer ? median(a) : ""; ours = median(t)
            ratio = hasPeer ? peer / ours : ""
            alone = hasPeer && inner(t) > 0 ? inner(a) / inner(t) : ""
            printf "| %s | %d | %s s | %.2f s | %s | %s | %s, %s | %s |\n", word[1], word[2], peer, ours, \
                number(ratio), number(alone), answer(a), answer(t), apart[word[1], word[2]]
            met = !hasPeer ? "null" : (ratio >= 1 ? "true" : "false")
            energy = apart[word[1], word[2]]
            printf "%s        [\"%s\", %d, %s, %.4g, %s, \">= 1\", %s, %s, \"%s\", \"%s\", %s]", (i > 1 ? ",\n" : ""), \
                word[1], word[2], number(peer), ours, number(ratio), met, number(alone), answer(a), answer(t), \
                (energy == "null" ? energy : "\"" energy "\"") >results
            if (answer(t) == "other")
                print word[1] ", nodes: " word[2] ": neither the answer of the reference nor of ARMCI-MPI" >wrong
        }
    }' "$work/energies" "$work/sorted"
cat "$work/wrong" >&2
failed=0
[ ! -s "$work/wrong" ] || failed=1
[ -n "$json" ] || exit $failed

shows="NWChem from Debian's source package, linked with libarmci and with ARMCI-MPI: cases of its own tests."
method="Medians of $rounds runs each, in turn, $ranks ranks: the time of the command, and the ratio of the times that"
method="$method NWChem prints itself, which leave out the start. Several nodes are emulated hosts: by TCP"
method="$method between them, by shared memory on each. Answers are compared with those of the tests by the tests' own"
method="$method program."
peers="NWChem $(basename "$top" | sed 's/nwchem-//'), Global Arrays"
peers="$peers $(dpkg-query -W -f '${Version}' libglobalarrays-dev | sed 's/-.*//'), ARMCI-MPI"
peers="$peers $(dpkg-query -W -f '${Version}' libarmci-mpi-dev | sed 's/-[^-]*$//'), Open MPI"
peers="$peers $(mpirun.openmpi --version | sed -n '1s/.* //p')"
results_write "$json" "NWChem over libarmci" "$shows" "$method" "$commit" \
    "$peers, $java" \
    "${RANKS:+RANKS=$RANKS }${NODES:+NODES='$NODES' }native/armci/nwchem/compare.sh FOLDER $rounds$chosen" <<END
    {
      "columns": [
        {"name": "case"},
        {"name": "nodes", "unit": "nodes"},
        {"name": "ARMCI-MPI", "unit": "s"},
        {"name": "libarmci", "unit": "s"},
        {"name": "speed over libarmci to that over ARMCI-MPI", "unit": "x", "better": "more"},
        {"name": "aim"},
        {"name": "met"},
        {"name": "that of the calculation alone", "unit": "x", "better": "more"},
        {"name": "answers as the reference, ARMCI-MPI"},
        {"name": "answers as the reference, libarmci"},
        {"name": "energies differ by, hartree"}
      ],
      "rows": [
$(cat "$work/rows")
      ]
    }
END
exit $failed
