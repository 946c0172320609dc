# Sourced by the scripts that compare programs of this project with others, for their files of results, of which
# 'tributary bench report' makes pages.
# shellcheck shell=sh

# Programs print a decimal point, in which awk and sort do not believe where the language has a comma.
export LC_ALL=C

# results_needs COMMAND PACKAGES: refuses to go on without it
results_needs() {
    command -v "$1" >/dev/null || { echo "no $1: install $2" >&2; exit 1; }
}

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

# results_numbers NAME NUMBER...: refuses what is no positive number
results_numbers() {
    what=$1
    shift
    for number in "$@"; do
        case $number in '' | 0* | *[!0-9]*) echo "$what has to be a number, not '$number'" >&2; exit 2 ;; esac
    done
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

# results_work NAME: makes a folder, sets work to it, and removes it when the script ends. There, the file host is a
# link to emulated-host.sh in the folder that shared names.
results_work() {
    work=$(mktemp -d "${TMPDIR:-/tmp}/$1.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' INT TERM HUP
    ln -s "$shared/emulated-host.sh" "$work/host"
}

# results_start NAME HOME: results_work, and sets what programs of Tributary and of Open MPI need: tributary and
# TRIBUTARY_HOME, which is HOME unless it is set already. Ranks have one thread, and root may be their user.
results_start() {
    TRIBUTARY_HOME=${TRIBUTARY_HOME:-$(cd "$2" && pwd)}
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
    tributary=$(results_command "$TRIBUTARY_HOME")
    results_work "$1"
}

# results_turns ROUNDS PEER PROGRAM WORDS...: so many times 'run PEER WORDS' and 'run PROGRAM WORDS'
results_turns() {
    turns=$1 peer=$2 program=$3
    shift 3
    while [ "$turns" -gt 0 ]; do
        run "$peer" "$@"
        run "$program" "$@"
        turns=$((turns - 1))
    done
}

# results_medians PEER PROGRAM: of lines 'WORDS PEER-OR-PROGRAM VALUE' makes lines 'WORDS MEDIAN MEDIAN', in the order
# in which WORDS appear
results_medians() {
    awk -v peer="$1" -v program="$2" '
        {
            key = $1
            for (i = 2; i < NF - 1; i++) key = key " " $i
            if (!(key in known)) { known[key] = 1; order[++rows] = key }
            for (i = ++count[key, $(NF - 1)]; i > 1 && value[key, $(NF - 1), i - 1] > $NF + 0; i--)
                value[key, $(NF - 1), i] = value[key, $(NF - 1), i - 1]
            value[key, $(NF - 1), i] = $NF + 0
        }
        function median(key, of, n) {
            n = count[key, of]
            return (value[key, of, int((n + 1) / 2)] + value[key, of, int(n / 2) + 1]) / 2
        }
        END {
            for (i = 1; i <= rows; i++)
                printf "%s %.9g %.9g\n", order[i], median(order[i], peer), median(order[i], program)
        }'
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
