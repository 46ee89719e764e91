#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The demo's part inside the guest: stock perf on two threads of one process and on two processes,
# all on CPU 0 at once. Prints lines KEY count, separated by a tab; machine/demo makes the table.
# Usage: demo.sh
set -u
cd "$(dirname "$0")" || exit 2

threads=two-threads
processes=(loop-1000000 faults-64)
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

# The threads wait at a gate until perf is attached.
mkfifo "$directory/gate" "$directory/control" "$directory/ack"
exec 7<>"$directory/control" 8<>"$directory/ack" 9<>"$directory/gate"
setarch -R taskset -c 0 "./$threads" <&9 7>&- 8>&- 9>&- &
pid=$!
until [ "$(cat /proc/"$pid"/task/*/syscall 2>/dev/null | grep -c '^0 0x0 ')" = 2 ]; do
    sleep 0.05
done
perf stat --per-thread -x, -e instructions:u -p "$pid" -D -1 --control fd:7,8 \
    -o "$directory/$threads" >/dev/null 2>&1 9>&- &
perfs=($!)
echo enable >&7
read -r -t 60 -u 8 _ || exit 1
for program in "${processes[@]}"; do
    setarch -R taskset -c 0 perf stat -x, -e instructions:u -o "$directory/$program" -- \
        "./$program" >/dev/null </dev/null 7>&- 8>&- 9>&- &
    perfs+=($!)
done
head -c 2 /dev/zero >&9
wait "$pid" "${perfs[@]}"

# perf names a thread COMM-TID; the lowest is the process's first thread, which only waits.
grep instructions "$directory/$threads" | cut -d, -f1,2 | sed 's/^.*-\([0-9]*\),/\1 /' | sort -n |
    tail -n 2 | awk '{ print "thread" NR - 1 "\t" $2 }'
for program in "${processes[@]}"; do
    printf '%s\t%s\n' "$program" "$(grep instructions "$directory/$program" | cut -d, -f1)"
done
