#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Property: EVENT:u + EVENT:k = EVENT exactly in each reading of a group, for six events at once,
# the three of an event on one PMC; and in a stopped program's counts. Ground truth: the identity
# itself; that they share: eighteen events are in one group and never multiplexed, on six PMCs.
# Usage: group.sh REPETITIONS
set -u
cd "$(dirname "$0")" || exit 2
# shellcheck source=tests/system/guest/tap.sh
. ./tap.sh

repetitions=$1
threads=6
rounds=60

# $1 triples
live() {
    local name="u + k = all, $1 events, $threads threads" number
    if ! setarch -R ./group "$1" "$threads" "$rounds" >group.out 2>group.err; then
        # Refused: the three of an event do not share a PMC.
        echo "not ok - $name: $(tail -n 1 group.err)"
        return
    fi
    for number in wrong multiplexed standing; do
        tap_equal "$name: $number" "$(sed -n "s/^$number //p" group.out)" 0
    done
    tap_equal "$name: readings" "$(sed -n 's/^readings //p' group.out)" $((threads * rounds))
}

# $1 program
ended() {
    local name="u + k = all after $1" bad
    if ! ./counter -g -r "$repetitions" -e instructions:u -e instructions:k -e instructions "./$1" \
        >group.out 2>group.err </dev/null; then
        tap_error "$name" "$(tail -n 1 group.err)"
        return
    fi
    bad=$(awk -F'\t' -v want="$(expected "$1" whole insn)" '
        $1 == "instructions:u" && ($2 != want || $3 != want) {
            print "user: got " $2 " to " $3 " want " want
        }
        $1 == "sum" && $2 != 0 { print $2 " wrong sums" }' group.out)
    tap_all "$name" "$bad" ''
}

live 1
live 2
live 6
for program in loop-1000 strings-20 syscalls-64 faults-64 signals-64; do
    ended "$program"
done
