# Runs Maven for scripts, and says how far it is.

uptime_s() {
    read -r up idle </proc/uptime
    echo "${up%.*}"
}

# While a process builds, how far its log says that it is: one line that changes on a terminal, otherwise a line every
# 10 s. Maven numbers its modules, as in "Building Tributary: wire 0.1.0 [3/13]".
show_progress() {
    where='s|.*Building Tributary: \(.*\) [0-9][^ ]* *\[\([0-9]*/[0-9]*\)\].*|part \2: \1|p'
    started=$(uptime_s)
    due=10
    while kill -0 "$1" 2>/dev/null; do
        sleep 1
        waited=$(($(uptime_s) - started))
        step=$(sed -n "$where" "$2" | tail -n 1)
        if [ -t 2 ]; then
            # Cut where the terminal ends: only one row is erased.
            printf '\r\033[K\033[?7l  %s s, %s\033[?7h' "$waited" "${step:-starting Maven}" >&2
        elif [ "$waited" -ge "$due" ]; then
            echo "building Tributary: $waited s, ${step:-starting Maven}" >&2
            due=$((waited + 10))
        fi
    done
    [ ! -t 2 ] || printf '\r\033[K' >&2
}

# LOG ARGUMENT…: shows the end of the log when Maven fails.
run_maven() {
    log=$1
    shift
    # In the background, for this shell tells how far it is; an interrupt from the terminal ends Maven, too.
    mvn -B "$@" >"$log" 2>&1 9<&- &
    maven=$!
    trap 'kill "$maven" 2>/dev/null; exit 143' TERM
    trap 'kill "$maven" 2>/dev/null; exit 130' INT
    show_progress "$maven" "$log"
    wait "$maven" || {
        echo "the last lines of $log:" >&2
        tail -n 40 "$log" >&2
        return 1
    }
    trap - INT TERM
}
