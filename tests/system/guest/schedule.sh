#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Property: random schedules count exactly; perf's scheduler benchmarks, and stress-ng where the host
# has put it, end, are counted all the time, and user + kernel = all exactly. Ground truth: schedule.c; the identity.
# Besides prints lines "bench NAME instructions:u" for a comparison of systems.
# Usage: schedule.sh FIRST-SEED LAST-SEED
set -u
cd "$(dirname "$0")" || exit 2
# shellcheck source=tests/system/guest/tap.sh
. ./tap.sh

# $1 name, $2... command
bench() {
    local name=$1 counts
    shift
    if ! perf stat -x, -o bench.out -e '{instructions:u,instructions:k,instructions}' \
        "$@" >bench.log 2>&1; then
        tap_error "$name" "$(tail -n 1 bench.log)"
        return
    fi
    # COUNT,UNIT,EVENT,RUNNING,PERCENT
    counts=$(grep instructions bench.out | cut -d, -f1 | tr '\n' ' ')
    read -r user kernel all <<<"$counts"
    tap_equal "$name: on a counter" "$(grep instructions bench.out | cut -d, -f5 | sort -u)" 100.00
    tap_equal "$name: user + kernel" "$((user + kernel))" "$all"
    printf 'bench\t%s\t%s\n' "$name" "$user"
}

for ((seed = $1; seed <= $2; seed++)); do
    setarch -R ./schedule "$seed" || tap_error "schedule $seed" "ended with status $?"
done
bench "perf bench messaging, processes" perf bench sched messaging -g 1 -l 50
bench "perf bench messaging, threads" perf bench sched messaging -t -g 1 -l 50
bench "perf bench pipe" perf bench sched pipe -l 2000
stress=../stress/stress-ng
if [ -x "$stress" ]; then
    export LD_LIBRARY_PATH=../stress/lib
    for stressor in "switch 2000" "pipe 20000" "fork 100" "pthread 100"; do
        read -r name ops <<<"$stressor"
        bench "stress-ng $name" "$stress" --seed 1 --timeout 0 "--$name" 2 "--$name-ops" "$ops"
    done
fi
