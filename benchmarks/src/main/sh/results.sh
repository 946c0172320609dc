# Sourced by the scripts that compare programs of this project with others, for their files of results, of which
# 'tributary bench report' makes pages.
# shellcheck shell=sh

# results_commit DIRECTORY: the commit of its sources. Documents do not count: the file of results itself may be one.
results_commit() {
    described=$(git -C "$1" describe --always --exclude='*' 2>/dev/null) || described=unknown
    [ -z "$(git -C "$1" status --porcelain -uno -- :/ ':(top,exclude)docs' 2>/dev/null)" ] || described=$described-dirty
    printf '%s' "$described"
}

# results_options DIRECTORY ARGUMENTS: sets commit, json (the file after --json, which must be writable, or nothing),
# and in taken how many arguments that was. What the file holds stays until there are new results.
results_options() {
    commit=$(results_commit "$1")
    json=
    taken=0
    [ "${2:-}" = --json ] || return 0
    json=${3:?--json needs a file}
    taken=2
    # Better no comparison than one without its results; and no empty file when it fails.
    if [ -e "$json" ]; then
        : >>"$json"
    else
        : >"$json"
        rm -f "$json"
    fi
}

# results_rounds NUMBER: refuses what is no number of rounds
results_rounds() {
    case $1 in '' | 0* | *[!0-9]*) echo "ROUNDS has to be a number, not '$1'" >&2; exit 2 ;; esac
}

# results_layouts LAYOUT...: refuses what is no list of the ranks of nodes
results_layouts() {
    for layout in "$@"; do
        case ,$layout, in *,,* | *,0* | *[!0-9,]*) echo "a layout is as 2,2, not '$layout'" >&2; exit 2 ;; esac
    done
}

# results_ranks LAYOUT: how many ranks it has; it lists those of each node
results_ranks() {
    echo "$1" | tr ',' '\n' | awk '{ sum += $1 } END { print sum }'
}

# results_hosts AGENT MPI LAYOUT: the options with which the command of MPI, openmpi or mpich, starts its ranks on
# emulated hosts, none for one node: ranks of a node share memory as those of Tributary do, and reach others by TCP.
# AGENT is emulated-host.sh, in a path without spaces.
results_hosts() {
    case $3 in *,*) ;; *) return 0 ;; esac
    case $1 in *[[:space:]]*) echo "$1: mpirun takes no agent in a path with spaces (TMPDIR)" >&2; exit 1 ;; esac
    unshare --uts --ipc --mount true || { echo "emulated hosts need root" >&2; exit 1; }
    hosts=$(echo "$3" | awk -F , '{ for (i = 1; i <= NF; i++) printf "%semulated%d:%d", (i > 1 ? "," : ""), i, $i }')
    # As on one node with more ranks than cores; each host believes that it has them all.
    yield=0
    [ "$(results_ranks "$3")" -le "$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)" ] || yield=1
    case $2 in
        openmpi)
            # Each host would bind its ranks from the first core on, as if it had the cores alone.
            echo "--bind-to none --mca mpi_yield_when_idle $yield --host $hosts --mca plm rsh --mca plm_rsh_agent $1 --mca pml ob1" \
                "--mca btl vader,tcp,self --mca btl_tcp_if_include lo --mca oob_tcp_if_include lo" ;;
        mpich)
            echo "-launcher ssh -launcher-exec $1 -iface lo -hosts $hosts -env UCX_TLS" \
                "tcp,sysv,posix,self" ;;
    esac
}

# results_words TEXT: as JSON has it
results_words() {
    printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')"
}

# results_settings: the variables of the environment that choose settings, before a command
results_settings() {
    env | grep '^TRIBUTARY_' | grep -Ev '^TRIBUTARY_(HOME|JAVA_HOME|ARMCI|SECRET.*)=' | sort | tr '\n' ' '
}

# results_command HOME: the tributary command there, or in its folder bin as a release has it
results_command() {
    command=$1/tributary
    [ -f "$command" ] && [ -x "$command" ] || command=$1/bin/tributary
    printf '%s' "$command"
}

# results_java HOME: the JVM that the tributary command there starts
results_java() {
    "$(results_command "$1")" --version | sed -n 's/^\(Java [^,]*\).*/\1/p'
}

# results_write FILE TITLE SHOWS METHOD COMMIT PEERS COMMAND: with the tables from standard input. One that is
# killed meanwhile leaves the old file, or the new one.
results_write() {
    place=$1
    if [ ! -e "$1" ] || [ -f "$1" ]; then
        place=$(readlink -f "$1")
        place=$(dirname "$place")/.$(basename "$place").$$.new
    fi
    processors=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc) # which heeds them
    memory=$(awk '/^MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo)
    model=$(sed -n '/^model name/ { s/.*: *//; p; q; }' /proc/cpuinfo)
    cat >"$place" <<END
{
  "name": $(results_words "$(basename "$1" .json)"),
  "kind": "benchmark",
  "title": $(results_words "$2"),
  "shows": $(results_words "$3"),
  "method": $(results_words "$4"),
  "commit": $(results_words "$5"),
  "date": "$(date -u +%Y-%m-%d)",
  "machine": $(results_words "$processors processors (${model:-unknown}), $memory, $(uname -sr), $6"),
  "command": $(results_words "$(results_settings)$7"),
  "tables": [
$(cat)
  ]
}
END
    [ "$place" = "$1" ] || mv "$place" "$(readlink -f "$1")"
    echo "Results are in $1"
}
