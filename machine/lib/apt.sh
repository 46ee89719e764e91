# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Debian packages by name: what the host lacks, and the sources and packages parts are made of.
# Sourced. The mirror and the signing key are those of the machine's own apt configuration.

# The suite that this machine's apt names, of which all parts are made; and those whose kernels the
# module is tried with, asked of the same archives.
HOME_SUITE=bookworm
SUITES="$HOME_SUITE trixie sid"

# From here on all is asked of suite $1.
apt_use() {
    SUITE=$1
    APT_DIR=$CACHE/apt
    if [ "$1" != "$HOME_SUITE" ]; then
        APT_DIR+=-$1
    fi
}
apt_use "$HOME_SUITE"

apt_private() {
    local command=$1
    shift
    "$command" -q -o Dir::Etc::SourceList="$APT_DIR/sources.list" -o Dir::Etc::SourceParts=- \
        -o Dir::State::Lists="$APT_DIR/lists" -o Dir::Cache="$APT_DIR/cache" \
        -o Dir::State::Status=/dev/null \
        -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none "$@"
}

# $1 file, $2 repository URI -> the value of its Signed-By, or nothing. Reads both formats.
apt_signed_by() {
    awk -v uri="${2%/}" '
        /^[[:space:]]*#/ { next }
        /^[[:space:]]*deb(-src)?[[:space:]]/ {
            if (index($0, uri) && match($0, /signed-by=[^] ]+/)) {
                print substr($0, RSTART + 10, RLENGTH - 10)
                exit
            }
            next
        }
        /^[[:space:]]*$/ { if (hit && key) { exit } hit = 0; key = ""; field = ""; next }
        /^[^[:space:]]/ { field = tolower($1) }
        field == "uris:" && index($0, uri) { hit = 1 }
        field == "signed-by:" {
            line = $0
            sub(/^[Ss]igned-[Bb]y:[[:space:]]*/, "", line)
            key = key (key == "" ? "" : "\n") line
        }
        END { if (hit && key) { print key } }' "$1"
}

# The Debian archives of this machine as a sources list of our own, for our suite. Sources come
# from the home suite only: the security suite lists a Xen source that its mirror does not have.
apt_sources() {
    local uri release component entry key
    # Without --no-release-info apt shows only what it has fetched before.
    apt-get indextargets --no-release-info \
        --format "\$(REPO_URI)|\$(RELEASE)|\$(COMPONENT)|\$(SOURCESENTRY)" 'Created-By: Packages' |
        sort -u | while IFS='|' read -r uri release component entry; do
        case $uri in cdrom:*) continue ;; esac
        [ "$component" = main ] || continue
        case $release in
            "$HOME_SUITE") ;;
            # sid has nothing beside it.
            "$HOME_SUITE-updates" | "$HOME_SUITE-security") [ "$SUITE" != sid ] || continue ;;
            *) continue ;;
        esac
        key=$(apt_signed_by "${entry%:*}" "$uri")
        apt_source_entry deb "$uri" "$SUITE${release#"$HOME_SUITE"}" "$key"
        if [ "$SUITE$release" = "$HOME_SUITE$HOME_SUITE" ]; then
            apt_source_entry deb-src "$uri" "$release" "$key"
        fi
    done
}

# An inline key goes to a file, since the one-line format names files only.
apt_source_entry() {
    local type=$1 uri=$2 release=$3 key=$4 file
    case $key in
        "") printf '%s %s %s main\n' "$type" "$uri" "$release" ;;
        *"BEGIN PGP"*)
            file=$APT_DIR/key-$(printf '%s' "$key" | cache_hash).asc
            printf '%s\n' "$key" | sed -e 's/^ //' -e 's/^\.$//' >"$file"
            printf '%s [signed-by=%s] %s %s main\n' "$type" "$file" "$uri" "$release"
            ;;
        *) printf '%s [signed-by=%s] %s %s main\n' "$type" "${key// /,}" "$uri" "$release" ;;
    esac
}

apt_fetch_lists() {
    local log=$LOGS/apt-update-$SUITE.log
    mkdir -p "$APT_DIR/lists/partial" "$APT_DIR/cache/archives/partial" ||
        die "no space left for the cache $CACHE"
    apt_sources >"$APT_DIR/sources.list.new"
    grep -q '^deb ' "$APT_DIR/sources.list.new" ||
        die "apt on this machine names no archive of Debian $HOME_SUITE main"
    mv "$APT_DIR/sources.list.new" "$APT_DIR/sources.list"
    progress "reading the package lists of $SUITE"
    rm -rf "$APT_DIR/ready" "$APT_DIR/memo"
    apt_private apt-get update >"$log" 2>&1 ||
        die "apt-get update failed: $(grep -m1 '^[EW]:' "$log"); log: $log"
    if grep -q '^[EW]: .*Failed to fetch' "$log"; then
        die "apt-get update: $(grep -m1 'Failed to fetch' "$log")"
    fi
    : >"$APT_DIR/ready"
}

# The lists of suite $1, or of all that have been asked for.
apt_renew() {
    local suite suites=${1:-$SUITES} current=$SUITE
    APT_RENEWED=1
    for suite in $suites; do
        apt_use "$suite"
        if [ "$suite" = "$HOME_SUITE" ] || [ -e "$APT_DIR/ready" ]; then
            apt_fetch_lists
        fi
    done
    apt_use "$current"
}

# The lists are fetched once and then stay, so that a warm cache needs no network.
apt_prepare() {
    local fd
    [ ! -e "$APT_DIR/ready" ] || return 0
    cache_prepare
    exec {fd}>"$CACHE/lock/${APT_DIR##*/}"
    flock -x "$fd"
    [ -e "$APT_DIR/ready" ] || apt_fetch_lists
    exec {fd}>&-
}

# apt_memo NAME COMMAND...: what the command prints, asked once per set of lists: every run needs
# the answers and each costs a second.
apt_memo() {
    local memo=$APT_DIR/memo/$1 answer
    shift
    if [ ! -s "$memo" ]; then
        mkdir -p "${memo%/*}"
        answer=$("$@")
        [ -n "$answer" ] || die "apt knows nothing of ${memo##*/} (machine/build lists renews its lists)"
        printf '%s\n' "$answer" >"$memo.$BASHPID"
        mv "$memo.$BASHPID" "$memo"
    fi
    cat "$memo"
}

apt_ask_source() {
    apt_private apt-cache showsrc --only-source "$1" | sed -n 's/^Version: //p' | sort -V | tail -n 1
}

apt_ask_version() {
    apt_private apt-cache show --no-all-versions "$1" | sed -n 's/^Version: //p' | head -n 1
}

apt_ask_depends() {
    apt_private apt-cache depends "$1" | sed -n 's/^ *Depends: //p'
}

# Newest version of source package $1 in the main suite.
apt_source_version() {
    apt_memo "source-$1" apt_ask_source "$1"
}

apt_version() {
    apt_memo "version-$1" apt_ask_version "$1"
}

# The packages that package $1 depends on and whose names are like $2.
apt_depends() {
    local names
    names=$(apt_memo "all-depends-$1" apt_ask_depends "$1" | sed -E -n "/^($2)\$/p")
    [ -n "$names" ] || die "package $1 of $SUITE depends on nothing like $2"
    printf '%s\n' "$names"
}

# Unpacks source package $1 as directory $2.
apt_source_fetch() {
    local version
    version=$(apt_source_version "$1")
    mkdir -p "$2.dl"
    (cd "$2.dl" && apt_private apt-get source --only-source --download-only "$1=$version")
    dpkg-source --no-check -x "$2.dl"/*.dsc "$2"
    rm -rf "$2.dl"
}

# Unpacks binary packages $2... into directory $1.
apt_deb_fetch() {
    local into=$1 deb
    shift
    mkdir -p "$into.dl"
    (cd "$into.dl" && apt_private apt-get download "$@")
    for deb in "$into.dl"/*.deb; do
        dpkg-deb -x "$deb" "$into"
    done
    rm -rf "$into.dl"
}

# Makes the root file system of our suite with packages $2 (a,b,c) as archive $1; the rest are
# options of mmdebstrap. Its apt does not read this machine's configuration, but a mirror that is
# kept as of some day is out of date by its own word, and only the machine knows that it may be.
apt_root() {
    local tar=$1 packages=$2 check
    shift 2
    check=$(apt-config dump --no-empty --format '%v' Acquire::Check-Valid-Until)
    mmdebstrap --variant=essential --include="$packages" --aptopt='Acquire::Languages "none"' \
        --aptopt="Acquire::Check-Valid-Until \"${check:-true}\"" \
        "$@" "$SUITE" "$tar" - <"$APT_DIR/sources.list"
}

# Installs what host-packages lists and the host lacks; only ever called when something is built.
host_install() {
    local missing=() package
    [ -z "${HOST_CHECKED:-}" ] || return 0
    while read -r package; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
            missing+=("$package")
    done < <(list_entries "$MACHINE/host-packages")
    HOST_CHECKED=1
    [ "${#missing[@]}" -gt 0 ] || return 0
    if [ "$(id -u)" != 0 ]; then
        die "missing packages; as root: apt-get install ${missing[*]}"
    fi
    say "installing with apt-get: ${missing[*]}"
    {
        apt-get update -q &&
            DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
                "${missing[@]}"
    } >"$LOGS/apt-install.log" 2>&1 </dev/null ||
        die "apt-get install failed: $(grep -m1 '^E:' "$LOGS/apt-install.log" || true); log: $LOGS/apt-install.log"
}
