# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Paths and messages shared by machine/build, machine/run and the part builder; sourced.

MACHINE=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
TREE=$(dirname "$MACHINE")
CACHE=${PERFCTR_XEN_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/perfctr-xen}
LOGS=$TREE/build/log
PROGRAM=${0##*/}
VERBOSE=${VERBOSE:-}

die() {
    printf '%s: %s\n' "$PROGRAM" "$*" >&2
    exit 125
}

# What a person must know whether or not a terminal is there: installing packages, waiting.
say() {
    printf '%s: %s\n' "$PROGRAM" "$*" >&2
}

# Progress belongs on a terminal only: a test compares what machine/run prints.
progress() {
    if [ -n "$VERBOSE" ] || [ -t 2 ]; then
        say "$@"
    fi
}

# Directory $1 as an initramfs. Owner, order and times must not vary, or two boots would differ.
initramfs_pack() {
    find "$1" -exec touch -h -d @0 {} +
    (cd "$1" && find . | LC_ALL=C sort | cpio -o -H newc -R 0:0 --reproducible --quiet)
}

# Lines of a list file without comments; the first word is the entry.
list_entries() {
    sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$1"
}
