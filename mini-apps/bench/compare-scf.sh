#!/bin/sh
# Compares the program scf with NWChem as Debian packages it (nwchem-openmpi): the same molecules, basis set and
# integrals, which both compute anew in every iteration, in turn; prints medians, their ratios, and by how much the
# energies differ.
# compare-scf.sh [--json FILE] [ROUNDS [RANKS...]] (default: 3 rounds with 1 and 2 ranks on one node; the file is one of
# results, of which 'tributary bench report' makes a page).
set -eu

here=$(CDPATH='' cd -P "$(dirname "$0")" && pwd)
shared=$here/../../benchmarks/src/main/sh
. "$shared/results.sh"
results_needs nwchem nwchem-openmpi
results_options "$here" "$@"
shift "$taken"
rounds=${1:-3}
results_numbers ROUNDS "$rounds"
[ $# -eq 0 ] || shift
counts=${*:-1 2}
# shellcheck disable=SC2086
results_numbers RANKS $counts
results_start compare-scf "$here/../.."

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
    echo "$2 $3 $1 ${seconds:?$1 has printed no time}" >>"$work/all"
    echo "$2 $3 $1 ${energy:?$1 has printed no energy}" >>"$work/energies"
}

for molecule in benzene water-dimer; do
    for ranks in $counts; do
        results_turns "$rounds" nwchem scf $molecule "$ranks"
    done
done

sort -s -k 1,1 -k 2,2n "$work/all" | results_medians nwchem scf >"$work/medians"
awk -v results="$work/rows" '
    FILENAME ~ /energies$/ { energy[$1, $2, $3] = $4; next }
    !told++ {
        printf "| molecule | ranks | NWChem | scf | NWChem / scf | energies differ by |\n"
        printf "| --- | ---: | ---: | ---: | ---: | ---: |\n"
    }
    {
        apart = energy[$1, $2, "scf"] - energy[$1, $2, "nwchem"]
        printf "| %s | %d | %.2f s | %.2f s | %.2f | %.1e |\n", $1, $2, $3, $4, $3 / $4, apart
        printf "%s        [\"%s\", %d, %.4g, %.4g, %.4g, \">= 1/2\", %s, \"%.1e\"]", (told > 1 ? ",\n" : ""), $1, $2, \
            $3, $4, $3 / $4, (2 * $3 >= $4 ? "true" : "false"), apart >results
    }' "$work/energies" "$work/medians"
# Times of another calculation are none.
awk '
    !($1 in first) { first[$1] = $4 }
    { apart = $4 - first[$1] }
    apart > 1e-5 || apart < -1e-5 {
        printf "%s: %s with %d ranks has the energy %.9f, and another run %.9f\n", $1, $3, $2, $4, first[$1]
        wrong = 1
    }
    END { exit wrong }' "$work/energies" >&2
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
