#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Property: the machine's PMU itself, seen by Linux without Xen: filters of a selector, exact
# overflow and sampling, rules of rdpmc, GuestOnly and HostOnly. Ground truth: see pmu.c, kvm.c.
# Usage: pmu.sh
set -u
cd "$(dirname "$0")" || exit 2
# shellcheck source=tests/system/guest/tap.sh
. ./tap.sh

modprobe msr
for test in registers filters overflow sampling rdpmc; do
    setarch -R ./pmu "$test" || tap_error "pmu $test" "ended with status $?"
done
if modprobe kvm-amd 2>kvm.err; then
    setarch -R ./kvm
else
    tap_error "kvm" "$(tail -n 1 kvm.err)"
fi
