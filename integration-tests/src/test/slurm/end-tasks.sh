#!/bin/sh
# end-tasks.sh: what Slurm runs when a task has ended. With the last one of a step on a node, everything that the tasks
# have started there is killed, as with proctrack/cgroup, which needs control groups; if the
# job has KILLS_REST, as a server that is killed so leaves its files.
[ -n "$SLURM_STEP_ID" ] && [ -n "$KILLS_REST" ] || exit 0
set -- /proc/[0-9]*/environ
for variable in "SLURM_JOB_ID=$SLURM_JOB_ID" "SLURM_STEP_ID=$SLURM_STEP_ID" "SLURM_NODEID=$SLURM_NODEID"; do
    # shellcheck disable=SC2046
    set -- $(grep -lszxF "$variable" "$@" /dev/null)
done
left=
for file in "$@"; do
    pid=${file#/proc/}
    pid=${pid%/environ}
    parent=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$pid/status" 2>/dev/null)
    if [ "$pid" = $$ ] || [ "$parent" = $$ ]; then
        continue
    fi
    [ "$parent" != "$PPID" ] || exit 0 # another task
    left="$left $pid"
done
# shellcheck disable=SC2086
[ -z "$left" ] || kill -KILL $left 2>/dev/null
exit 0
