# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Result lines of test scripts, counted by the test runner; as lib/tap.h. Sourced.

tap_ok() {
    echo "ok - $1"
}

# $1 name, $2 got, $3 want
tap_equal() {
    if [ "$2" = "$3" ]; then
        tap_ok "$1"
    else
        echo "not ok - $1: got ${2:-nothing} want $3"
    fi
}

tap_skip() {
    echo "skip - $1 # $2"
}

tap_error() {
    echo "error - $1: $2"
}

# Makes one line of many: $1 name, $2 what the first bad one said or empty, $3 what went wrong
# with the test itself or empty.
tap_all() {
    if [ -n "$3" ]; then
        tap_error "$1" "$3"
    elif [ -n "$2" ]; then
        echo "not ok - $1: $2"
    else
        tap_ok "$1"
    fi
}

# expected PROGRAM PART COLUMN: from the table of constructed counts; columns insn, branches,
# taken, conditional.
expected() {
    awk -F'\t' -v program="$1" -v part="$2" -v column="$3" '
        BEGIN { field["insn"] = 3; field["branches"] = 4; field["taken"] = 5
                field["conditional"] = 6 }
        $1 == program && $2 == part { print $field[column]; found = 1 }
        END { exit !found }' expected.tsv
}

# All but those with markers of their own, which threads.sh runs.
programs() {
    awk -F'\t' '$2 == "whole" && $1 !~ /^(threads-first|threads-second|pingpong-1000)$/ {
        print $1
    }' expected.tsv
}
