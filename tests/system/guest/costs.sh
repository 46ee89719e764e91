#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The work whose costs costs.test looks up in the machine's counts, by marker; the counts of its
# threads must be exact meanwhile. Ground truth: worker.S.
# Usage: costs.sh
set -u
cd "$(dirname "$0")" || exit 2
# shellcheck source=tests/system/guest/tap.sh
. ./tap.sh

rdpmc=/sys/bus/event_source/devices/cpu/rdpmc

# $1 MARKER, $2... of pingpong
go() {
    local marker=$1
    shift
    setarch -R ./pingpong -i "$marker" "$@" || tap_error "marker $marker" "ended with status $?"
}

# $1 value, $2 name: programs may read counters themselves: 0 no, 1 with a mapped event, 2 all
allow() {
    if ! echo "$1" 2>/dev/null >"$rdpmc"; then
        echo "not ok - $2: cannot write $1 to $rdpmc"
    fi
}

user=rc0:u,rc2:u,rd1:u
kernel=rc0,rc2,rd1:u

go 0 "nothing counted, at first" - -
go 1 "equal sets, user" "$user" "$user"
allow 2 "rdpmc = 2"
go 2 "equal sets, kernel too, rdpmc = 2" "$kernel" "$kernel"
allow 1 "rdpmc = 1"
go 3 -m "equal sets, kernel too, mapped" "$kernel" "$kernel"
go 4 "equal sets, kernel too, not mapped" "$kernel" "$kernel"
go 5 "different sets, user" rc0:u,rc2:u rc4:u,rd1:u,r76:u
go 6 "one counted, one not" "$user" -
go 7 -k calls -r 500 "system calls, counted" "$user"
go 8 -k calls -r 500 "system calls, not counted" -
go 9 -k sleep -r 600 "between sleeps" "$user"
go 10 "equal events, in another order" rc0:u,rc2:u rc2:u,rc0:u
go 11 "part of the other's set" rc0:u,rc2:u,rd1:u rc2:u
perf stat -e instructions:u,branches,cycles:k ./loop-1000 >/dev/null 2>&1
go 12 "nothing counted, after perf stat" - -
perf stat -a -e instructions:u,branches,cycles:k sleep 0.1 >/dev/null 2>&1
go 13 "nothing counted, after perf stat -a" - -
# The control: with somebody counting the CPU, the same threads are not free.
perf stat -a -e instructions:u setarch -R ./pingpong -i 14 "nothing counted, under perf stat -a" - - \
    2>/dev/null || tap_error "marker 14" "ended with status $?"
