#!/bin/bash
# stop.sh DIR PREFIX: ends what start.sh has started.
dir=$1 prefix=$2
pids=$(cat "$dir"/slurmd-*.pid "$dir/slurmctld.pid" "$dir/munge/pid" 2>/dev/null)
kill $pids 2>/dev/null
for i in $(seq 50); do
    kill -0 $pids 2>/dev/null || break
    sleep 0.1
done
for i in 0 1 2; do ip netns del "$prefix$i" 2>/dev/null; done
ip link del "${prefix}b" 2>/dev/null
true
