# Read by the scripts that are called `tributary`, in the sources and in a release. Both say where Java and the
# distribution are.

# As many as OpenFiles of the launcher asks for: a JVM that may not open its class path cannot say so. It raises the
# soft limit to the hard one by itself.
files=128
# The version of Java.
needed=25

fail() {
    echo "tributary: $*" >&2
    exit 1
}

# The release file says which version a Java is without starting it.
is_java() {
    [ -x "$1/bin/java" ] && [ -r "$1/release" ] || return 1
    version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release")
    [ -n "$version" ] && [ "$version" -ge "$needed" ]
}

need_open_files() {
    limit=$(ulimit -H -n)
    [ "$limit" = unlimited ] || [ "$limit" -ge "$files" ] || fail "this command needs $files open files and may open" \
        "$limit; raise the number of files that a process may open (ulimit -n)"
}

# start JAVA-HOME DISTRIBUTION [ARGUMENT…]: replaces this process.
start() {
    java=$1/bin/java
    dist=$2
    shift 2
    cache=launcher
    [ "${1:-}" != server ] || cache=server
    # The live page works each second for as long as the job runs: its code is compiled soon (the last option counts).
    soon=
    case " $* " in
        *' --dashboard'* | ' dashboard '*) soon=-XX:CompileThresholdScaling=0.3 ;;
    esac
    set -- $soon -jar "$dist/lib/tributary-launcher.jar" "$@"
    [ $cache = launcher ] || set -- "-Djava.library.path=$dist/lib/native" "$@"
    # Without the cache, or with another JDK than the one that made it, everything works: nobody needs to know.
    [ ! -r "$dist/$cache.aot" ] || set -- "-XX:AOTCache=$dist/$cache.aot" '-Xlog:aot*=off' "$@"
    # A JVM takes the encoding of arguments, variables and names of files from the locale. One that knows ASCII alone,
    # as in batch jobs and containers, would change the others; the launcher gives ranks the user's own again.
    case $(locale charmap 2>/dev/null || true) in
        ANSI_X3.4-1968 | US-ASCII | '')
            set -- "-Dtributary.lc-all=${LC_ALL:-}" "$@"
            export LC_ALL=C.UTF-8
            ;;
    esac
    exec "$java" "@$dist/$cache-jvm-options" "$@"
}
