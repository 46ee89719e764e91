#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs stock perf in many ways and prints the shape of what it said: names of events, units,
# <not supported>, <not counted>, errors and the exit status, with N for every number. Two kernels
# whose counters behave alike print the same.
# Usage: lines.sh; for each command a line "== COMMAND", then its shape
set -u
cd "$(dirname "$0")" || exit 2

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory" || exit 2
export HOME=$directory
# Events that share the counters take turns of 4 ms; this lasts for several rounds of all of them.
# shellcheck disable=SC2016 # for the shell inside
long=(sh -c 'i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); done')
devices=/sys/bus/event_source/devices

# To N become numbers that stand alone. Shares of time of events that took turns, deviations (perf
# is silent where there is none), prefixes of units and widths of columns are left out; a line that
# comes again says nothing new.
normalise() {
    sed -E -e 's/\x1b\[[0-9;]*m//g' -e 's/ *\( *[0-9.]+%\)//; s/ *\( *\+- *[0-9.]+% *\)//' \
        -e ':again; s/(^|[^[:alnum:]_.])[0-9]+(\.[0-9]+)?($|[^[:alnum:]_.])/\1N\3/; t again' \
        -e 's/(Samples: )[0-9]+K/\1N/; s/([ ,"])[KMG]\/sec/\1\/sec/' \
        -e 's/[[:space:]]+/ /g; s/^ //; s/ $//' |
        awk '!seen[$0]++'
}

# $1 name, $2... command
named() {
    local name=$1 status=0
    shift
    echo "== $name"
    "$@" >out 2>&1 </dev/null || status=$?
    normalise <out
    echo "status $status"
}

shape() {
    named "$*" "$@"
}

# perf stat of the long program with these words
stat_long() {
    named "perf stat $* LONG" perf stat "$@" "${long[@]}"
}

# The same in intervals, but for those in which the program did not run, at its begin or end
stat_intervals() {
    named "perf stat $* LONG" intervals "$@"
}

intervals() {
    local status=0
    perf stat "$@" "${long[@]}" >intervals 2>&1 || status=$?
    grep -v '<not counted>' intervals
    return "$status"
}

# perf stat of a busy loop that runs already
stat_running() {
    local pid
    while :; do :; done &
    pid=$!
    named "perf stat $* PID" perf stat "$@" "$pid" -e cycles,instructions:u sleep 0.05
    kill "$pid"
    wait "$pid" 2>/dev/null
}

whole_machine() {
    shape perf stat -a sleep 0.1
    shape perf stat -a -A -e instructions,cycles:k sleep 0.1
    shape perf stat -C 0 -e instructions,cycles sleep 0.1
    shape perf stat -C 0,1 -A -x, -e instructions sleep 0.1
    shape perf stat -C 7 -e instructions true
    shape perf stat -a --per-core -e instructions sleep 0.1
    shape perf stat -a --per-socket -e instructions sleep 0.1
    shape perf stat -a -I 100 -e cycles,instructions,task-clock sleep 0.25
    shape perf stat -a --topdown sleep 0.1
    shape perf stat --smi-cost true
}

one_task() {
    shape perf stat true
    stat_long -d
    stat_long -dd
    stat_long -ddd
    stat_long -x, -ddd
    shape perf stat -j -e instructions,cycles,branches,branch-misses,LLC-loads true
    shape perf stat -r 3 -e instructions,cycles:u,task-clock true
    stat_intervals -I 20 -e instructions,cycles
    stat_intervals -I 20 -x, -e instructions,cycles --interval-count 2
    shape perf stat --no-inherit -e instructions,cycles true
    stat_long -D 20 -e instructions,cycles
    shape perf stat -D -1 -e instructions true
    stat_long --timeout 50 -e instructions
    shape perf stat -v -e instructions,LLC-loads true
    shape perf stat -T true
    shape perf stat --metric-only -e instructions,cycles true
    stat_long -M branch_misprediction_ratio
    shape perf stat record -o data -e instructions,cycles true
    shape perf stat report -i data
    stat_running -p
    stat_running --per-thread -p
    mkfifo control ack
    exec 7<>control 8<>ack
    echo enable >&7
    shape perf stat -D -1 --control fd:7,8 -e instructions:u sleep 0.1
    exec 7>&- 8>&-
}

modifiers() {
    stat_long -e "$(printf 'instructions:%s,' u k uk h H G GH I p pp ppp P D W uH kG upp)cycles"
    shape perf stat -e instructions:G,cycles:G true
    shape perf stat -e instructions:S,cycles true
    shape perf stat -e instructions:e,cycles:u true
}

groups() {
    shape perf stat -e '{instructions,cycles},{branches,branch-misses}:u' true
    shape perf stat -e '{instructions:u,instructions:k,instructions}' true
    shape perf stat -e '{cycles,instructions,branches}:D,{cache-misses,branch-misses}:W' true
    shape perf stat -e '{task-clock,instructions,page-faults}' true
    shape perf stat -e '{instructions,LLC-loads}' true
    shape perf stat -e '{rc0,r76,rc2,rc3,rc4,r40}' true
    shape perf stat -e '{rc0,r76,rc2,rc3,rc4,r40,rd1}' true
    stat_long -e rc0,r76,rc2,rc3,rc4,r40,rd1,r60
    stat_long -e '{rc0,r76,rc2,rc3},{rc4,r40,rd1,r60}'
}

forms() {
    shape perf stat -e 'cpu/event=0xc0,umask=0/,cpu/event=0xc0/u,cpu/config=0xc0/k' true
    shape perf stat -e 'cpu/instructions/,cpu/cpu-cycles/u,cpu/branch-misses,name=missed/' true
    shape perf stat -e 'cpu/event=0xc0,cmask=1,inv=1,edge=1/' true
    shape perf stat -e 'cpu/event=0x1ffff/' true
    shape perf stat -e 'cpu/nothing/' true
    shape perf stat -e r5300c0:u,r5100d1,r0,cycles true
    shape perf stat -e r3,rff0 true
    shape perf stat -e bus-cycles,ref-cycles true
    shape perf stat -e task-clock,instructions,sched:sched_switch,cycles:u,page-faults true
    shape perf stat -e msr/tsc/,instructions true
    named "perf stat -e CACHE... LONG" perf stat -e "$(
        awk '/cache event/ { print $1 }' known | paste -sd,)" "${long[@]}"
    named "perf stat -x, -e EVERY... LONG" every
}

# All events that perf knows for this processor; which of them took a turn is not of interest.
every() {
    awk '/PMU event/ && $2 != "OR" && $1 !~ "/" { print $1 }' known >events
    if [ "$(wc -l <events)" -lt 100 ]; then
        echo "only $(wc -l <events) events"
        return 2
    fi
    perf stat -x, -o counts -e "$(paste -sd, events)" "${long[@]}" || return
    sed 's/<not counted>/0/' counts | cut -d, -f1-3
}

lists() {
    perf list --no-desc hw cache pmu >known
    named "perf list hw cache pmu" cat known
    # shellcheck disable=SC2016 # for the shell inside
    shape sh -c 'cd '"$devices"'/cpu && find . -type f ! -path "./power/*" ! -name uevent | sort'
    shape sh -c 'cd '"$devices"'/cpu && grep . type caps/* events/* format/*'
}

# perf says how many samples it took, if any.
records() {
    local options
    for options in "-e instructions:u -c 10000" "-e rc0" -b; do
        # shellcheck disable=SC2086 # several words
        named "perf record $options LONG" perf record -B -o data $options "${long[@]}"
    done
    named "perf record LONG" perf record -B -o data "${long[@]}"
    shape perf report -i data --stdio --sort comm --comm sh
}

programs() {
    shape perf stat -e instructions,cycles:u perf bench sched pipe -l 1000
    shape perf stat -e instructions:k perf bench sched messaging -g 1 -l 10
    shape perf test 'Read samples using the mmap interface'
    shape perf test 'Number of exit events of a simple workload'
    shape perf test 'Event times'
}

lists
one_task
modifiers
groups
forms
whole_machine
records
programs
