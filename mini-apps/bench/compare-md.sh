#!/bin/sh
# Compares the program md with LAMMPS as Debian packages it (lammps, openmpi-bin): the same systems, time step, cut-off,
# skin and lists that are made when an atom has crossed half of the skin, in turn; prints medians and their ratios.
# compare-md.sh [--json FILE] [ROUNDS [RANKS...]] (default: 5 rounds with 1 and 2 ranks on one node; the file is one of
# results, of which 'tributary bench report' makes a page).
set -eu

here=$(CDPATH='' cd -P "$(dirname "$0")" && pwd)
shared=$here/../../benchmarks/src/main/sh
. "$shared/results.sh"
results_needs lmp lammps
results_options "$here" "$@"
shift "$taken"
rounds=${1:-5}
results_numbers ROUNDS "$rounds"
[ $# -eq 0 ] || shift
counts=${*:-1 2}
# shellcheck disable=SC2086
results_numbers RANKS $counts
steps=1000
results_start compare-md "$here/../.."

# What both systems have in common: 1000 steps that keep the temperature, and those that are timed. The skin, lists,
# time step, temperature and the interval of samples are md's.
finish() {
    cat <<END
velocity all create 0.85 1 loop geom
neighbor 0.3 bin
neigh_modify delay 0 every 1 check yes
timestep 0.005
thermo 10
fix move all nve
fix keep all temp/rescale 10 0.85 0.85 0 1
run $steps
unfix keep
run $steps
END
}

# 4000 atoms.
{
    cat <<END
units lj
lattice fcc 0.84
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 box
mass 1 1
pair_style lj/cut 3
pair_coeff 1 1 1 1
END
    finish
} >"$work/lj"

# 512 ions, by an Ewald sum of the same accuracy.
{
    cat <<END
units lj
atom_style charge
lattice custom 0.84 a1 1 0 0 a2 0 1 0 a3 0 0 1 &
    basis 0 0 0 basis 0 0.5 0.5 basis 0.5 0 0.5 basis 0.5 0.5 0 &
    basis 0.5 0 0 basis 0 0.5 0 basis 0 0 0.5 basis 0.5 0.5 0.5
region box block 0 4 0 4 0 4
create_box 2 box
create_atoms 1 box basis 5 2 basis 6 2 basis 7 2 basis 8 2
mass * 1
set type 1 charge 1
set type 2 charge -1
pair_style lj/cut/coul/long 3
pair_coeff * * 1 1
kspace_style ewald 1e-5
END
    finish
} >"$work/charged"

# run PROGRAM SYSTEM RANKS
run() {
    case $1 in
        lammps)
            timeout 600 mpirun.openmpi --oversubscribe -n "$3" lmp -in "$work/$2" -log none </dev/null >"$work/out" 2>&1 \
                || { cat "$work/out" >&2; exit 1; }
            seconds=$(sed -n 's/^Loop time of \([0-9.]*\) .*/\1/p' "$work/out" | tail -n 1) ;;
        md)
            timeout 600 "$tributary" run --layout "$3" md --system "$2" --equilibration $steps \
                --steps $steps </dev/null >"$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }
            seconds=$(sed -n 's/^\[0\] \([0-9.]*\) s, .*/\1/p' "$work/out") ;;
    esac
    echo "$2 $3 $1 ${seconds:?$1 has printed no time}" >>"$work/all"
}

for system in lj charged; do
    for ranks in $counts; do
        results_turns "$rounds" lammps md $system "$ranks"
    done
done

sort -s -k 1,1r -k 2,2n "$work/all" | results_medians lammps md | awk -v steps=$steps -v results="$work/rows" '
    BEGIN { printf "| system | ranks | LAMMPS | md | LAMMPS / md |\n| --- | ---: | ---: | ---: | ---: |\n" }
    {
        l = 1000 * $3 / steps; m = 1000 * $4 / steps
        printf "| %s | %d | %.3f ms/step | %.3f ms/step | %.2f |\n", $1, $2, l, m, l / m
        printf "%s        [\"%s\", %d, %.4g, %.4g, %.4g, \">= 1/3\", %s]", (NR > 1 ? ",\n" : ""), $1, $2, l, m, l / m, \
            (3 * l >= m ? "true" : "false") >results
    }'
[ -n "$json" ] || exit 0

shows="The program \`md\` and LAMMPS as Debian packages it, on the same systems: time of a step."
method="Medians of $rounds runs each, in turn, of $steps steps after $steps others, on one node. \`lj\`: 4,000 atoms of"
method="$method a Lennard-Jones liquid; \`charged\`: 512 ions with an Ewald sum. Time step, cut-off, skin and the rule"
method="$method when lists are made are the same."
peers=$(lmp -h | sed -n 's/.* Simulator - /LAMMPS /p')
results_write "$json" "md beside LAMMPS" "$shows" "$method" "$commit" "$peers, $(results_java "$TRIBUTARY_HOME")" \
    "mini-apps/bench/compare-md.sh $rounds $counts" <<END
    {
      "columns": [
        {"name": "system"},
        {"name": "ranks", "unit": "ranks"},
        {"name": "LAMMPS", "unit": "ms"},
        {"name": "md", "unit": "ms"},
        {"name": "speed of md to that of LAMMPS", "unit": "x", "better": "more"},
        {"name": "aim"},
        {"name": "met"}
      ],
      "rows": [
$(cat "$work/rows")
      ]
    }
END
