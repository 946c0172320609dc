#!/bin/sh
# folders.sh "FOLDER..." SOURCES OBJECT...: objects use only symbols of their folder and of those before it, those of a
# folder not each other in a circle, and sources only the headers of those folders, which have their names. Prints how
# many symbols a row's folder uses of each column's, then what is wrong.
set -eu

order=$1
sources=$2
shift 2
objects=$#
places='
    BEGIN {
        count = split(order, folders)
        for (i = 1; i <= count; i++) {
            place[folders[i]] = i
        }
    }'
nm -A "$@" | LC_ALL=C sort | awk -v order="$order" -v objects="$objects" "$places"'
    function folder_of(path) {
        sub(/\/[^\/]*$/, "", path)
        sub(/.*\//, "", path)
        return path
    }
    {
        object = $0
        sub(/\.o:.*/, ".o", object)
        folder = folder_of(object)
        if (!(folder in place)) {
            print object " is in no folder of the order"
            bad = 1
        }
        if ($(NF - 1) == "U") {
            used[++uses] = $NF
            user[uses] = object
        } else if ($(NF - 1) ~ /[TDBRCW]/) {
            home[$NF] = object
        }
        seen += !(object in known)
        known[object]
    }
    function file_of(path) {
        return folder_of(path) substr(path, match(path, /\/[^\/]*$/))
    }
    END {
        for (i = 1; i <= uses; i++) {
            if (!(used[i] in home)) {
                continue
            }
            from = place[folder_of(user[i])]
            to = place[folder_of(home[used[i]])]
            table[from, to]++
            if (to > from) {
                wrong[i] = ", which comes later"
            } else if (to == from && home[used[i]] != user[i]) {
                within[i]
            }
        }
        do { # takes away uses by files that no other uses, and of files that use no other: what is left forms circles
            split("", users)
            split("", homes)
            for (i in within) {
                users[user[i]]
                homes[home[used[i]]]
            }
            taken = 0
            for (i in within) {
                if (!(user[i] in homes && home[used[i]] in users)) {
                    delete within[i]
                    taken = 1
                }
            }
        } while (taken)
        for (i in within) {
            wrong[i] = ", in a circle"
        }
        for (from = 0; from <= count; from++) {
            printf "%-10s", folders[from]
            for (to = 1; to <= count; to++) {
                printf "%11s", from == 0 ? folders[to] : table[from, to]
            }
            print ""
        }
        for (i in wrong) {
            print file_of(user[i]) " uses " used[i] " of " file_of(home[used[i]]) wrong[i]
            bad = 1
        }
        if (seen != objects || uses == 0) {
            print "only " seen + 0 " of " objects " objects could be read"
            bad = 1
        }
        exit bad
    }' && calls=0 || calls=1
cd "$sources"
grep -H '^#include "[a-z]*/' */*.[ch] | awk -v order="$order" "$places"'
    {
        split($0, words, /[:\/"]/) # folder, file, #include, folder, header
        if (words[4] in place && (place[words[4]] >= place[words[1]] || words[5] != words[4] ".h")) {
            print words[1] "/" words[2] " includes " words[4] "/" words[5]
            bad = 1
        }
    }
    END {
        exit bad
    }' && exit $calls || exit 1
