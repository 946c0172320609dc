#!/bin/sh
# folders.sh "FOLDER..." SOURCES OBJECT...: objects use only symbols of their folder and of those before it, those of a
# folder not each other in a circle, and sources only the headers of those folders, which have their names.
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
            later = place[folder_of(home[used[i]])] - place[folder_of(user[i])]
            if (later > 0) {
                print file_of(user[i]) " uses " used[i] " of " folder_of(home[used[i]]) ", which comes later"
                bad = 1
            } else if (later == 0) {
                print file_of(user[i]), file_of(home[used[i]]) | "tsort > /dev/null"
            }
        }
        if (close("tsort > /dev/null") > 0) {
            print "files of a folder use each other in a circle"
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
