# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The cache of built parts: entries named by a hash of their inputs, sealed with checksums; sourced.
#
# An entry CACHE/NAME-KEY is built in CACHE/tmp and renamed into place. CACHE/lock/NAME-KEY is
# held exclusively while it is built and shared by everybody who uses it, so that prune never
# removes an entry in use. Descriptors stay open, and so are inherited by QEMU: an orphaned
# machine keeps its entries.

CACHE_KEEP=3

# stdin -> a short name for it
cache_hash() {
    sha256sum | cut -c1-16
}

# The files under the given paths of the tree by name and content, build products aside. Names
# are relative: a clone elsewhere finds the same entries.
cache_tree() {
    local path
    cd "$TREE" || return
    for path in "$@"; do
        if [ -e "$path" ]; then
            find "$path" -type f ! -name '*.o' ! -name '*.ko' ! -name '*.mod*' ! -name '.*' \
                ! -name 'modules.order' ! -name 'Module.symvers' ! -name '*.a' -print0
        fi
    done | LC_ALL=C sort -z | xargs -0 -r sha256sum
}

# Names, sizes and times: cheap enough for every run. Only where this differs are the
# contents read again, so a copied or touched cache is still good and a damaged one is not.
cache_fingerprint() {
    (cd "$1" && find . \( -type f -o -type l \) ! -name '.seal*' \
        -printf '%P\t%s\t%l\t%T@\t%C@\n' | LC_ALL=C sort)
}

cache_files() {
    (cd "$1" && find . \( -type f -o -type l \) ! -name '.seal*' -print | LC_ALL=C sort)
}

cache_seal() {
    (cd "$1" && find . -type f ! -name '.seal*' -print0 | LC_ALL=C sort -z |
        xargs -0 -r sha256sum) >"$1/.seal-sums"
    cache_files "$1" >"$1/.seal-files"
    cache_fingerprint "$1" >"$1/.seal"
}

cache_intact() {
    [ -f "$1/.seal" ] || return 1
    if cache_fingerprint "$1" | cmp -s - "$1/.seal"; then
        return 0
    fi
    cache_files "$1" | cmp -s - "$1/.seal-files" || return 1
    (cd "$1" && sha256sum --check --quiet .seal-sums) >/dev/null 2>&1 || return 1
    cache_fingerprint "$1" >"$1/.seal" 2>/dev/null || return 0
}

cache_prepare() {
    mkdir -p "$CACHE/lock" "$CACHE/tmp" "$LOGS" 2>/dev/null ||
        die "cannot write to the cache $CACHE (choose another with PERFCTR_XEN_CACHE)"
}

# Removes entry or half-built directory $1 unless somebody holds it.
cache_remove() {
    local fd
    exec {fd}>"$CACHE/lock/${1##*/}"
    if flock -n -x "$fd"; then
        rm -f "$1/.seal" # so that an interrupted removal leaves nothing that looks whole
        rm -rf "$1"
    fi
    exec {fd}>&-
}

# Keeps the newest entries of a name, and nothing that an ended build has left.
cache_prune() {
    local entry
    # shellcheck disable=SC2012 # names are ours: no blanks, no newlines
    ls -1td "$CACHE/$1"-[0-9a-f]* 2>/dev/null | tail -n "+$((CACHE_KEEP + 1))" |
        while read -r entry; do
            cache_remove "$entry"
        done
    for entry in "$CACHE/tmp/$1"-*; do
        [ ! -e "$entry" ] || cache_remove "$entry"
    done
}

# Says in one line why building part $1 with log $2 failed, the log's end before it.
cache_explain() {
    local name=$1 log=$2
    if grep -q 'No space left on device\|not have enough .*space' "$log"; then
        die "no space left for the cache $CACHE while building $name" \
            "(choose another with PERFCTR_XEN_CACHE; log: $log)"
    fi
    tail -n 15 "$log" >&2 || true
    die "building $name failed; log: $log"
}

# Builds part $1 with key $2 into the cache; the caller holds the lock exclusively.
#
# The child renames the result itself: if this process is killed while it waits, the build, which
# has inherited the lock, still comes to its end and is not lost.
cache_build() {
    local name=$1 key=$2 log=$LOGS/build-$1-$2.log start=$SECONDS
    rm -rf "$CACHE/${name:?}-$key" "$CACHE/tmp/$name-$key"
    progress "building $name ($(part_note "$name"))"
    # A process of its own: under "|| return" bash would ignore set -e inside a function.
    bash "$MACHINE/lib/build-part.sh" "$name" "$key" >"$log" 2>&1 </dev/null || {
        rm -rf "$CACHE/tmp/$name-$key"
        return 1
    }
    progress "built $name in $((SECONDS - start)) s"
    cache_prune "$name"
}

# cache_get NAME: builds the part if it is not there; sets ENTRY to its directory, held until exit.
cache_get() {
    local name=$1 key fd need status=0
    cache_prepare
    if declare -F "needs_$name" >/dev/null; then
        for need in $("needs_$name"); do
            cache_get "$need"
        done
    fi
    key=$(part_inputs "$name" | cache_hash)
    ENTRY=$CACHE/$name-$key
    exec {fd}>"$CACHE/lock/$name-$key" || die "no space left for the cache $CACHE"
    if ! flock -n -s "$fd"; then
        progress "waiting for another build of $name"
        flock -s "$fd"
    fi
    if ! cache_intact "$ENTRY"; then
        flock -x "$fd"
        if ! cache_intact "$ENTRY"; then
            [ ! -e "$ENTRY" ] || say "the cached $name is damaged: building it again"
            host_install
            cache_build "$name" "$key" || status=$?
        fi
        flock -s "$fd"
    fi
    if [ "$status" != 0 ]; then
        exec {fd}>&- # or the second try would wait for the first
        cache_retry "$name" "$LOGS/build-$name-$key.log"
    fi
    touch "$ENTRY" 2>/dev/null || true
}

# A download that is gone means that the package lists are old: once per run they are renewed.
cache_retry() {
    if [ -z "${APT_RENEWED:-}" ] && grep -qE '404 +Not Found' "$2"; then
        apt_renew "$(part_suite "$1")"
        cache_get "$1"
    else
        cache_explain "$1" "$2"
    fi
}
