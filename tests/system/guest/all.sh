#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# All tests of one boot, in one go: a boot costs more than most of them.
# Usage: all.sh SYSTEM MODE REPETITIONS; SYSTEM and MODE as machine/run names them
set -u
cd "$(dirname "$0")" || exit 2
# shellcheck source=tests/system/guest/tap.sh
. ./tap.sh

system=$1
mode=$2
repetitions=$3

# $1 script, $2... its arguments; says on stderr how long it took.
script() {
    local name=$1 start=$SECONDS
    shift
    "./$name" "$@" || tap_error "$name" "ended with status $?"
    echo "$name: $((SECONDS - start)) s of the machine's time" >&2
}

# First what the others take for granted.
script registers
script constructed.sh "$repetitions"
script threads.sh
script model.sh "$mode"
if [ "$system" != native ]; then
    script regions.sh 3 group
    script group.sh "$repetitions"
else
    script regions.sh 3
    script pmu.sh
fi
