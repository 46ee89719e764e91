#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Property: threads that share a CPU, and processes whose CPUs share a physical one, each count
# their own constructed number. Ground truth: expected.tsv. That they were switched at least 1000
# times is read from the machine's counts outside (boot).
# Usage: threads.sh
set -u
cd "$(dirname "$0")" || exit 2
# shellcheck source=tests/system/guest/tap.sh
. ./tap.sh

threads=4

# $1 name, $2 program, $3 file of lines "threadN EVENT COUNT"
check_threads() {
    local i
    for ((i = 0; i < threads; i++)); do
        tap_equal "$1: thread $i" \
            "$(awk -F'\t' -v thread="thread$i" '$1 == thread { print $3 }' "$3")" \
            "$(expected "$2" "thread$i" insn)"
    done
}

# $1 name, $2 program, $3 CPU
client() {
    if ./counter -t "$threads" -c "$3" -e instructions:u "./$2" >"$2.out" 2>"$2.err"; then
        check_threads "$1" "$2" "$2.out"
    else
        tap_error "$1" "$(tail -n 1 "$2.err")"
    fi
}

# Both at once, each on a CPU of its own, their lines one after the other.
two_at_once() {
    local name="two processes of $threads threads at once" first
    client "$name, CPU 0" threads-first 0 >first.tap &
    first=$!
    client "$name, CPU 1" threads-second 1 >second.tap
    wait "$first"
    cat first.tap second.tap
}

# $1 name, $2 program: the whole process, unbound: its threads move.
unbound() {
    if ./counter -r 3 -e instructions:u "./$2" >unbound.out 2>unbound.err </dev/null; then
        tap_equal "$1" "$(cut -f2,3 unbound.out)" \
            "$(expected "$2" whole insn)"$'\t'"$(expected "$2" whole insn)"
    else
        tap_error "$1" "$(tail -n 1 unbound.err)"
    fi
}

client "$threads threads on one CPU" threads-first 0
./stat-threads.sh threads-500
unbound "$threads threads, unbound" threads-500
if [ "$(nproc)" -ge 2 ]; then
    two_at_once
    unbound "two processes in turn on two CPUs" pingpong-1000
else
    tap_skip "two CPUs" "this domain has one"
fi
