# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Reads what machine/run --counts wrote into $counts: a line for each pair of markers. Sourced.

# values ID SECTION PATTERN: sum of the keys that match, in each record of a marker; one line each
values() {
    grep "\"id\": *$1," "$counts" | sed 's/.*"'"$2"'": *{\([^}]*\)}.*/\1/' |
        awk -v pattern="^\"$3\"$" '{
            sum = 0
            n = split($0, pairs, ", *")
            for (i = 1; i <= n; i++) {
                split(pairs[i], pair, ": *")
                gsub(/ /, "", pair[1])
                if (pair[1] ~ pattern) sum += pair[2]
            }
            print sum
        }'
}

# plain ID NAME: a number that is in no section, in each record of a marker
plain() {
    grep "\"id\": *$1," "$counts" | sed -n 's/.*"'"$2"'": *\([0-9]*\).*/\1/p'
}
