#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Property: a policy that dom0 changes while it counts itself: no count goes back or jumps, what is
# refused says so, and what is permitted again counts exactly. Ground truth: expected.tsv.
# Usage: policy.sh
set -u
cd "$(dirname "$0")" || exit 2
# shellcheck source=tests/system/guest/tap.sh
. ./tap.sh

modprobe xen-privcmd || tap_error "policy" "no xen-privcmd"
program=loop-1000000
want=$(expected "$program" whole insn)

# $1 policy
set_to() {
    ./policy "$1" || tap_error "policy" "cannot be set to $1"
}

# $1 name: a new event counts
counts_again() {
    tap_equal "$1" "$(setarch -R perf stat -x, -e instructions:u "./$program" 2>&1 >/dev/null |
        cut -d, -f1)" "$want"
}

# Slots of this selector stay loaded while the event is open: a later one must not trust them.
perf stat -x, -o open.out -e instructions:u sleep 1000 &
open=$!
counts_again "policy: while another event is open"
set_to off
tap_equal "policy: off is refused at open" \
    "$(perf stat -x, -e instructions:u true 2>&1 | cut -d, -f1)" "<not supported>"
set_to all
counts_again "policy: off and on again"
set_to arch
set_to all
counts_again "policy: narrower and back"
pkill -P "$open" sleep
wait "$open"

# A CPU-wide count is not taken off between: it must end where it was stopped, or not be counted.
perf stat -a -x, -o wide.out -e r76:u,r45 sh -c "
    ./$program; ./policy arch; ./policy all; perf stat -e rc2:u ./$program; true" >/dev/null 2>&1
bad=$(cut -d, -f1 wide.out | awk '/^[0-9]+$/ && $1 > 1000000000000 { print "jumped to " $1 }')
tap_all "policy: CPU-wide counts do not jump" "$bad" ''

for ((turn = 0; turn < 50; turn++)); do
    ./policy off && ./policy all
done &
for ((turn = 0; turn < 10; turn++)); do
    setarch -R perf stat -x, -e instructions:u "./$program" >/dev/null 2>>storm.out
done
wait
# Cut short is right, and so is not counted at all; more is not.
bad=$(cut -d, -f1 storm.out | awk -v want="$want" '/^[0-9]+$/ && $1 > want + 0 { print "got " $1 }')
tap_all "policy: never more than there was" "$bad" ''
counts_again "policy: after all of that"
