#!/bin/sh
# Runs a test program: run.sh MPI RANKS NODES EXPECTATION PROGRAM [ARGUMENT...]
# MPI is openmpi or mpich, or none for `tributary run`. EXPECTATION is "well", or a pattern that the output must have while
# the job fails. Whatever happens, no process and no shared memory of the job may be left.
set -u

mpi=$1 ranks=$2 nodes=$3 expected=$4
shift 4
# Of a hang: on a machine with a hundred busy processes a job of some seconds has taken 90 s.
deadline=300
TRIBUTARY_HOME=${TRIBUTARY_HOME:-$(cd "$(dirname "$0")/../../.." && pwd)}
export TRIBUTARY_HOME
# Twice the default: the machine may do other things.
export TRIBUTARY_ATTACH_TIMEOUT="${TRIBUTARY_ATTACH_TIMEOUT:-60s}"
gone=60

# Not exported: what this script itself runs is not to be taken for the job.
shm=$(mktemp -d /dev/shm/armci-test.XXXXXX) || exit 1
# Of Open MPI, which cleans up nothing when mpirun itself is killed.
mpi_files=$(mktemp -d /dev/shm/armci-mpi.XXXXXX) || exit 1
output=$(mktemp "${TMPDIR:-/tmp}/armci-test.XXXXXX")

# Every process of the job that has not ended; a zombie has no environment.
left() {
    grep -lzxs "TRIBUTARY_SHM_DIRECTORY=$shm" /proc/[0-9]*/environ 2>/dev/null | sed 's|/proc/\([0-9]*\)/environ|\1|'
}

watch=
clean_up() {
    [ -z "$watch" ] || kill "$watch" 2>/dev/null
    for pid in $(left); do
        kill -9 "$pid" 2>/dev/null
    done
    rm -rf "$shm" "$mpi_files" "$output"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP

# A port and those above it that nobody listens on, for the metrics of the servers of the one program that reads them; a
# script beside this one takes others.
case $* in
    *handles_*)
        port=$((20000 + 8 * ($$ % 1500)))
        while grep -q ":$(printf '%04X' $port) \|:$(printf '%04X' $((port + 1))) " /proc/net/tcp; do
            port=$((20000 + (port - 20000 + 8 * 37) % 12000))
        done
        export TRIBUTARY_SERVER_METRICS_PORT=$port
        ;;
esac

export OMPI_MCA_btl_vader_backing_directory="$mpi_files" OMPI_MCA_orte_tmpdir_base="$mpi_files"
case $mpi in
    openmpi)
        export TRIBUTARY_NODES=$nodes
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
        set -- mpirun.openmpi --oversubscribe -n "$ranks" "$@"
        ;;
    mpich)
        export TRIBUTARY_NODES=$nodes
        set -- mpirun.mpich -n "$ranks" "$@"
        ;;
    cyclic) # ranks dealt out to the nodes one by one
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
        program=$1
        set -- mpirun.openmpi --oversubscribe
        rank=0
        while [ "$rank" -lt "$ranks" ]; do
            [ "$rank" -eq 0 ] || set -- "$@" :
            set -- "$@" -n 1 env TRIBUTARY_NODE=$((rank % nodes)) "$program"
            rank=$((rank + 1))
        done
        ;;
    none)
        tributary=$TRIBUTARY_HOME/tributary
        [ -f "$tributary" ] && [ -x "$tributary" ] || tributary=$TRIBUTARY_HOME/bin/tributary
        set -- "$tributary" run --layout "$nodes*$((ranks / nodes))" -- "$@"
        ;;
esac
begun=$(date +%s)
# Says which process waits for what before the deadline ends them all.
{
    sleep=
    trap 'kill "$sleep"; exit' TERM
    sleep $((deadline - 5)) &
    sleep=$!
    wait "$sleep"
    echo "late, at load $(cat /proc/loadavg):"
    for pid in $(left); do
        ps -L -o pid,lwp,stat,time,wchan:24,args "$pid"
    done
} >>"$output" 2>&1 &
watch=$!
TEST_OUTPUT=$output TRIBUTARY_SHM_DIRECTORY=$shm timeout -k 5 $deadline "$@" >>"$output" 2>&1
code=$?
kill "$watch" 2>/dev/null

fail() {
    cat "$output"
    echo "exit code $code; $*"
    exit 1
}

if [ "$expected" = well ]; then
    [ $code -eq 0 ] && [ "$(grep -c 'all well$' "$output")" -eq 1 ] || fail "not well"
else
    [ $code -ne 0 ] && [ $(($(date +%s) - begun)) -lt $deadline ] || fail "the job did not fail in time"
    grep -Eq -- "$expected" "$output" || fail "nothing like '$expected' above"
fi
waited=0
while [ -n "$(left)" ] || [ -n "$(ls -A "$shm")" ]; do
    [ $waited -lt $((10 * gone)) ] || fail "left: $(left | while read -r p; do tr '\0' ' ' <"/proc/$p/cmdline"; echo;
        done) $(ls -A "$shm")"
    sleep 0.1
    waited=$((waited + 1))
done
