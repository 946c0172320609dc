
# ---- around what picocli generates ----

# Is "$1" one of the words that follow?
_tributary_has() {
    local wanted=$1 word
    shift
    for word in "$@"; do
        [ "$word" = "$wanted" ] && return 0
    done
    return 1
}

# Whether the word at the cursor belongs to an executable or to a class of the user, of which nothing is known.
_tributary_is_users() {
    local with_value programs i word
    case ${COMP_WORDS[1]-} in
        run) with_value=(@RUN_OPTIONS@) programs=(@PROGRAMS@) ;;
        bench) with_value=(@BENCH_OPTIONS@) programs=(@BENCHMARKS@) ;;
        *) return 1 ;;
    esac
    i=2
    while [ "$i" -lt "$COMP_CWORD" ]; do
        word=${COMP_WORDS[i]}
        case $word in
            --) return 0 ;;
            -*)
                # Readline makes three words of --nodes=2, and of key=value.
                if [ "${COMP_WORDS[i + 1]-}" = "=" ]; then
                    i=$((i + 2))
                elif _tributary_has "$word" "${with_value[@]}"; then
                    i=$((i + 1))
                    [ "${COMP_WORDS[i + 1]-}" != "=" ] || i=$((i + 2))
                fi
                ;;
            *)
                _tributary_has "$word" "${programs[@]}" && return 1
                return 0
                ;;
        esac
        i=$((i + 1))
    done
    return 1
}

# Readline makes words of what follows a "=": then names of files are offered.
_tributary_complete() {
    COMPREPLY=()
    case ${COMP_WORDS[COMP_CWORD]} in
        =) return ;;
    esac
    [ "${COMP_WORDS[COMP_CWORD - 1]}" != "=" ] && ! _tributary_is_users || return
    _complete_tributary
    case ${COMPREPLY[0]-} in
        *=) compopt -o nospace 2>/dev/null ;;
    esac
    return 0
}

if [ -n "${ZSH_VERSION-}" ]; then
    # What bashcompinit does for all commands would end "key=" with a space. Bash does not read this text.
    eval '
    _tributary_in_zsh() {
        local -x COMP_POINT=0 COMP_CWORD=$((CURRENT - 1)) COMP_LINE="$words"
        local -a COMP_WORDS COMPREPLY found
        COMP_WORDS=("${words[@]}")
        found=(${(f)"$(compgen -F _tributary_complete -- "${words[CURRENT]}")"})
        compadd -- ${found:#*=} && return
        compadd -S "" -- ${(M)found:#*=} && return
        _default
    }
    compdef _tributary_in_zsh tributary'
else
    complete -o default -F _tributary_complete tributary
fi
