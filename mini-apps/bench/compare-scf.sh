#!/bin/sh
# Compares the program scf with NWChem as Debian packages it (nwchem-openmpi): the same molecules, basis set and
# integrals, which both compute anew in every iteration, in turn; prints medians, their ratios, and by how much the
# energies differ.
# compare-scf.sh [--json FILE] [ROUNDS [RANKS...]] (default: 3 rounds with 1 and 2 ranks on one node; the file is one of
# results, of which 'tributary bench report' makes a page).
set -eu

here=$(CDPATH='' cd -P "$(dirname "$0")" && pwd)
TRIBUTARY_HOME=${TRIBUTARY_HOME:-$(cd "$here/../.." && pwd)}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
command -v nwchem >/dev/null || { echo "no nwchem: install nwchem-openmpi" >&2; exit 1; }
. "$here/../../benchmarks/src/main/sh/results.sh"
tributary=$(results_command "$TRIBUTARY_HOME")
results_options "$here" "$@"
shift "$taken"
rounds=${1:-3}
results_rounds "$rounds"
[ $# -eq 0 ] || shift
counts=${*:-1 2}
work=$(mktemp -d "${TMPDIR:-/tmp}/compare-scf.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

# Carbon and hydrogen on two hexagons.
awk 'BEGIN {
    print "12\nbenzene"
    pi = atan2(0, -1)
    for (i = 0; i < 12; i++) {
        radius = i < 6 ? 1.3862 : 1.3862 + 1.0756
        printf "%s %.8f %.8f 0\n", i < 6 ? "C" : "H", radius * cos(pi * i / 3), radius * sin(pi * i / 3)
    }
}' >"$work/benzene.xyz"

# Two water molecules: P. Jurecka, J. Sponer, J. Cerny, P. Hobza, Phys. Chem. Chem. Phys. 8 (2006) 1985.
cat >"$work/water-dimer.xyz" <<END
6
water-dimer
O -1.551007 -0.114520 0
H -1.934259 0.762503 0
H -0.599677 0.040712 0
O 1.350625 0.111469 0
H 1.680398 -0.373741 -0.758561
H 1.680398 -0.373741 0.758561
END

for molecule in benzene water-dimer; do
    {
        echo "start $molecule"
        echo "geometry units angstroms noautoz nocenter noautosym"
        tail -n +3 "$work/$molecule.xyz"
        echo "end"
        echo "basis cartesian; * library \"6-31G*\"; end"
        echo "scf; rhf; singlet; direct; thresh 1e-6; tol2e 1e-10; end"
        echo "task scf energy"
    } >"$work/$molecule.nw"
done

# run PROGRAM MOLECULE RANKS
run() {
    case $1 in
        nwchem)
            (cd "$work" && timeout 600 mpirun.openmpi --oversubscribe -n "$3" nwchem "$2.nw" </dev/null >out 2>&1) \
                || { cat "$work/out" >&2; exit 1; }
            seconds=$(sed -n 's/^ *Task *times *cpu: .*wall: *\([0-9.]*\)s.*/\1/p' "$work/out" | tail -n 1)
            energy=$(sed -n 's/^ *Total SCF energy = *\(-[0-9.]*\).*/\1/p' "$work/out" | tail -n 1) ;;
        scf)
            timeout 600 "$tributary" run --layout "$3" scf --molecule "$work/$2.xyz" \
                </dev/null >"$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }
            seconds=$(sed -n 's/^\[0\] \([0-9.]*\) s: .*/\1/p' "$work/out")
            energy=$(sed -n 's/^\[0\] energy \(-[0-9.]*\) hartree.*/\1/p' "$work/out") ;;
    esac
    echo "$2 $3 $1 $seconds $energy" >>"$work/all"
}

for molecule in benzene water-dimer; do
    for ranks in $counts; do
        round=0
        while [ $round -lt "$rounds" ]; do
            run nwchem $molecule "$ranks"
            run scf $molecule "$ranks"
            round=$((round + 1))
        done
    done
done

sort -s -k 1,1 -k 2,2n -k 3,3 -k 4,4n "$work/all" | awk -v results="$work/rows" '
    { key = $1 " " $2; if (!(key in known)) { known[key] = 1; order[++rows] = key } value[key, $3, ++count[key, $3]] = $4
        energy[key, $3] = $5 }
    function median(key, program, n) {
        n = count[key, program]
        return (value[key, program, int((n + 1) / 2)] + value[key, program, int(n / 2) + 1]) / 2
    }
    END {
        printf "| molecule | ranks | NWChem | scf | NWChem / scf | energies differ by |\n"
        printf "| --- | ---: | ---: | ---: | ---: | ---: |\n"
        for (i = 1; i <= rows; i++) {
            split(order[i], word, " "); n = median(order[i], "nwchem"); s = median(order[i], "scf")
            printf "| %s | %d | %.2f s | %.2f s | %.2f | %.1e |\n", word[1], word[2], n, s, n / s, \
                energy[order[i], "scf"] - energy[order[i], "nwchem"]
            printf "%s        [\"%s\", %d, %.4g, %.4g, %.4g, \">= 1/2\", %s, \"%.1e\"]", (i > 1 ? ",\n" : ""), \
                word[1], word[2], n, s, n / s, (2 * n >= s ? "true" : "false"), \
                energy[order[i], "scf"] - energy[order[i], "nwchem"] >results
        }
    }'
[ -n "$json" ] || exit 0

shows="The program \`scf\` and NWChem as Debian packages it, on the same molecules: time of a calculation."
method="Medians of $rounds runs each, in turn, on one node: energies of closed shells, 6-31G*, all integrals computed"
method="$method in each iteration. Times are those that the programs print, and leave out their start."
peers="NWChem $(dpkg-query -W -f '${Version}' nwchem-openmpi 2>/dev/null | sed 's/[-+].*//')"
results_write "$json" "scf beside NWChem" "$shows" "$method" "$commit" "$peers, $(results_java "$TRIBUTARY_HOME")" \
    "mini-apps/bench/compare-scf.sh $rounds $counts" <<END
    {
      "columns": [
        {"name": "molecule"},
        {"name": "ranks", "unit": "ranks"},
        {"name": "NWChem", "unit": "s"},
        {"name": "scf", "unit": "s"},
        {"name": "speed of scf to that of NWChem", "unit": "x", "better": "more"},
        {"name": "aim"},
        {"name": "met"},
        {"name": "energies differ by, hartree"}
      ],
      "rows": [
$(cat "$work/rows")
      ]
    }
END
