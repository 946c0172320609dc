#!/bin/sh
# symbols.sh LIBRARY MPI: every function of the headers is there, as is all that Debian's libga asks ARMCI for; ARMCI_X is
# weak where PARMCI_X is strong.
set -eu

library=$1
headers=$(dirname "$0")/../include
symbols=$(nm -g "$library" 2>/dev/null)
defined() {
    echo "$symbols" | awk -v types="$1" 'index(types, $2) && NF == 3 { print $3 }' | sort -u
}
require() { # lines of standard input, among the defined
    missing=$(comm -13 "$1" -)
    [ -z "$missing" ] || { echo "missing $2:" "$missing"; exit 1; }
}

all=$(mktemp)
trap 'rm -f "$all"' EXIT
defined TW >"$all"
declared() {
    cat "$headers"/*.h | grep -v "^#define" | grep -ohE '\b[Pp]?(ARMCIX?|armci)_[A-Za-z_]+\(' | tr -d '(' | sort -u
}
declared | require "$all" "of the headers"
debian=$(find /usr/lib -name "libga-$2.a" 2>/dev/null | head -n 1)
if [ -n "$debian" ]; then
    nm -u "$debian" 2>/dev/null | awk '$1 == "U" && $2 ~ /^(ARMCI_|armci_(msg|domain|read|write))/ { print $2 }' | sort -u \
        | require "$all" "of $debian"
fi
defined T | sed -n 's/^PARMCI_/ARMCI_/p; s/^parmci_/armci_/p' | sort -u >"$all.weak"
trap 'rm -f "$all" "$all.weak"' EXIT
strong=$(defined T | comm -12 - "$all.weak")
[ -z "$strong" ] || { echo "not weak:" "$strong"; exit 1; }
