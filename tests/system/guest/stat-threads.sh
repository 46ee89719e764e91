#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Property: stock `perf stat --per-thread`, attached to a running process, counts each thread's
# constructed number. The threads wait at a gate, their standard input, until perf says that it
# counts. Ground truth: expected.tsv.
# Usage: stat-threads.sh PROGRAM
set -u
cd "$(dirname "$0")" || exit 2
# shellcheck source=tests/system/guest/tap.sh
. ./tap.sh

program=$1
name="perf stat --per-thread: $program"
parts=$(awk -F'\t' -v program="$program" '
    $1 == program && $2 != "whole" { print $2 }' expected.tsv | sort)
threads=$(grep -c thread <<<"$parts")
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

# The threads of process $1 that wait in read(0): proc(5), /proc/PID/task/TID/syscall.
at_gate() {
    cat /proc/"$1"/task/*/syscall 2>/dev/null | grep -c '^0 0x0 '
}

mkfifo "$directory/gate" "$directory/control" "$directory/ack"
exec 7<>"$directory/control" 8<>"$directory/ack" 9<>"$directory/gate"
# The program must not hold perf's ends.
setarch -R taskset -c 0 "./$program" <&9 7>&- 8>&- 9>&- &
pid=$!
for ((try = 0; try < 200; try++)); do
    [ "$(at_gate "$pid")" -lt "$threads" ] || break
    sleep 0.05
done
perf stat --per-thread -x, -e instructions:u -p "$pid" -D -1 --control fd:7,8 \
    -o "$directory/out" 2>"$directory/err" 9>&- &
perf=$!
echo enable >&7
if ! read -r -t 60 -u 8 answer || [ "$answer" != ack ]; then
    tap_error "$name" "perf did not start: $(tail -n 1 "$directory/err")"
    kill "$pid" "$perf"
    exit
fi
head -c "$threads" /dev/zero >&9
wait "$pid" "$perf"

# perf names a thread COMM-TID; the lowest is the first thread, then in the order of creation.
counts=$(grep instructions "$directory/out" | cut -d, -f1,2 | sed 's/^.*-\([0-9]*\),/\1 /' |
    sort -n | cut -d' ' -f2)
for part in $parts; do
    tap_equal "$name: $part" "$(sed -n "$(($(grep -n "^$part$" <<<"$parts" | cut -d: -f1)))p" \
        <<<"$counts")" "$(expected "$program" "$part" insn)"
done
