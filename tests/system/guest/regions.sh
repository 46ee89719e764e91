#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Property: a region between two ioctls counts exactly its constructed number; in a group with :k
# and unfiltered, :u still does. Ground truth: arithmetic in region_bodies.S.
# Usage: regions.sh ROUNDS [group]; with `group`, also user + kernel = all exactly.
set -u
cd "$(dirname "$0")" || exit 2
# shellcheck source=tests/system/guest/tap.sh
. ./tap.sh

rounds=$1

# $1 name of the test; compares regions.got with regions.want, one result a region.
compare() {
    awk -F'\t' -v test="$1" '
        NR == FNR { want[FNR] = $3; key[FNR] = $1 FS $2; wants = FNR; next }
        $1 FS $2 != key[FNR] { print "error - " test ": line " FNR " is of " $1; failed = 1; exit }
        !($1 in bad) { order[++regions] = $1; bad[$1] = "" }
        bad[$1] == "" && $3 != want[FNR] { bad[$1] = "n = " $2 ": got " $3 " want " want[FNR] }
        bad[$1] == "" && $4 != "" && $4 != 0 { bad[$1] = "n = " $2 ": user + kernel - all = " $4 }
        { gots = FNR }
        END {
            if (failed) exit
            for (i = 1; i <= regions; i++)
                print (bad[order[i]] == "" ? "ok - " test ": " order[i] \
                       : "not ok - " test ": " order[i] ": " bad[order[i]])
            if (gots != wants) print "error - " test ": " gots + 0 " counts of " wants
        }' regions.want regions.got
}

# $1 name, $2... options
count() {
    local name=$1
    shift
    if setarch -R ./regions "$@" "$rounds" >regions.got 2>regions.err; then
        compare "$name"
    else
        tap_error "$name" "$(tail -n 1 regions.err)"
    fi
}

./regions --expect "$rounds" >regions.want || exit 2
count region
if [ "${2:-}" = group ]; then
    count "region in a group" --group
fi
