#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Property: the event model of perf_event_open(2) holds: groups, tasks, CPUs, taking turns.
# Ground truth: see each model_*.c; Linux without Xen passes the same programs.
# Usage: model.sh MODE; MODE as machine/run names it
set -u
cd "$(dirname "$0")" || exit 2
# shellcheck source=tests/system/guest/tap.sh
. ./tap.sh

mode=$1

# It holds one of the six counters, where there is one.
if [ "$(cat /proc/sys/kernel/nmi_watchdog)" = 1 ]; then
    echo 0 >/proc/sys/kernel/nmi_watchdog
    trap 'echo 1 >/proc/sys/kernel/nmi_watchdog' EXIT
fi

run() {
    local program=$1
    shift
    setarch -R "./$program" "$@" || tap_error "$program" "ended with status $?"
}

run model_ioctl
run model_group
run model_task
run model_task exec ./loop-1000 "$(expected loop-1000 whole insn)"
if [ "$mode" = icount ]; then
    run model_time
else
    tap_skip "events that take turns" "a busy host takes turns too"
fi
if [ "$(nproc)" -ge 2 ]; then
    run model_cpu
    run model_hotplug
else
    tap_skip "two CPUs" "this domain has one"
fi
