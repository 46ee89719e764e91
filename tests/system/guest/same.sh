#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# All that is compared between two kernels: the output of opens, then that of lines.sh.
# Usage: same.sh
set -u
cd "$(dirname "$0")" || exit 2

# Where there is a watchdog it holds a counter.
if [ "$(cat /proc/sys/kernel/nmi_watchdog)" != 0 ]; then
    echo 0 >/proc/sys/kernel/nmi_watchdog
fi
echo "=== opens"
./opens || exit 2
echo "=== lines"
./lines.sh || exit 2
