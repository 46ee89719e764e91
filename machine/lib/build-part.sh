# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Builds one part: bash build-part.sh NAME KEY. Its output is the log.
set -euo pipefail

# shellcheck source=machine/lib/common.sh
. "${BASH_SOURCE[0]%/*}/common.sh"
# shellcheck source=machine/lib/cache.sh
. "$MACHINE/lib/cache.sh"
# shellcheck source=machine/lib/apt.sh
. "$MACHINE/lib/apt.sh"
# shellcheck source=machine/lib/parts.sh
. "${PERFCTR_XEN_PARTS:-$MACHINE/lib/parts.sh}" # the cache's own test brings small parts

# The packages that host-packages names, and no other python or compiler someone has installed.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8
# One command, so that bash has read it whole: an edit during a long build must not hit it.
{
    name=$1 key=$2 tmp=$CACHE/tmp/$1-$2
    mkdir -p "$tmp/out" "$tmp/work"
    apt_use "$(part_suite "$name")"
    set -x
    "build_$name" "$tmp/work" "$tmp/out"
    set +x
    cache_seal "$tmp/out"
    mv "$tmp/out" "$CACHE/$name-$key"
    rm -rf "$tmp"
    exit
}
