#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Property: a constructed program counts exactly its constructed number, in stock `perf stat` and in
# a perf_event_open client, in every repetition. Ground truth: expected.tsv, arithmetic in the
# programs' sources, checked by single-stepping (expected.test).
# Usage: constructed.sh REPETITIONS
set -u
cd "$(dirname "$0")" || exit 2
# shellcheck source=tests/system/guest/tap.sh
. ./tap.sh

repetitions=$1
# AMD PPR: retired branches, taken branches, conditional branches
branch_events=(rc2:u rc4:u rd1:u)
branch_columns=(branches taken conditional)

# The mean of all repetitions and their deviation in percent. One wrong repetition of a long
# program may vanish in the rounding: the client below looks at each.
stock_perf() {
    local program=$1 name="perf stat -r $repetitions: $1" line
    if ! perf stat -r "$repetitions" -x, -e instructions:u -o perf.out -- "./$program" \
        >/dev/null 2>perf.err </dev/null; then
        tap_error "$name" "$(tail -n 1 perf.err)"
        return
    fi
    line=$(grep instructions perf.out | cut -d, -f1,4,6)
    tap_equal "$name" "$line" "$(expected "$program" whole insn),0.00%,100.00"
}

client() {
    local program=$1 name="counter -r $repetitions: $1" bad='' i column want
    if ! ./counter -r "$repetitions" -e instructions:u "${branch_events[@]/#/-e}" "./$program" \
        >counter.out 2>counter.err </dev/null; then
        tap_error "$name" "$(tail -n 1 counter.err)"
        return
    fi
    want=$(expected "$program" whole insn)
    bad=$(count_differs instructions:u "$want")
    for i in "${!branch_events[@]}"; do
        column=${branch_columns[i]}
        want=$(expected "$program" whole "$column")
        [ -n "$bad" ] || bad=$(count_differs "${branch_events[i]}" "$want")
    done
    tap_all "$name" "$bad" ''
}

# $1 event, $2 want: says how counter.out differs.
count_differs() {
    awk -F'\t' -v event="$1" -v want="$2" '
        $1 == event && ($2 != want || $3 != want) {
            print event ": got " $2 " to " $3 " want " want
        }' counter.out
}

for program in $(programs); do
    stock_perf "$program"
    client "$program"
done
