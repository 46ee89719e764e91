# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Command line of machine/run: sets the O_ variables; sourced.

O_SYSTEM=native O_KERNEL=$HOME_SUITE O_IN=dom0 O_VCPUS=2 O_MEM='' O_MODE=icount O_XEN_ARGS='' O_KERNEL_ARGS=''
# Of a domain that dom0 starts, MB: the image unpacked, and room for tests.
DOMAIN_MEM=704
O_PUT=() O_COUNTS='' O_TIMEOUT=600 O_KEEP='' O_MICRO='' O_SHELL='' O_COMMAND=()

usage() {
    cat <<'EOF'
usage: machine/run [OPTION]... -- COMMAND [ARG...]
       machine/run [OPTION]... --shell
       machine/run [OPTION]... --micro ELF [-- WORD...]

Boots the machine, runs COMMAND in it as root, prints what it printed and exits with its status:
124 when the time is over, 125 when the machine failed (its logs are then named and kept).

  --system S       native: Linux alone (default); xen: our Xen, our module loaded in dom0;
                   xen-eager: our Xen and module with every shortcut off, the oracle that tests
                   compare with; xen-vpmu: our Xen with vpmu=on, no module;
                   xen-stock: Debian's Xen, no module
  --kernel SUITE   Linux of this Debian release, our module built for it: bookworm (default) or
                   trixie; the root file system stays that of bookworm
  --in DOMAIN      where COMMAND runs under Xen: dom0 (default), or pv: a PV domain that Debian's
                   toolstack starts in dom0; --vcpus and --kernel-args are that domain's then
  --vcpus N        processors of the machine (2)
  --mem MB         memory of the machine (1024 natively, 1536 under Xen, 2576 with a domain, which
                   gets 704 of it)
  --mode M         icount: deterministic, one host thread (default); mttcg: a host thread per
                   processor, concurrent
  --xen-args S     more words for Xen's command line
  --kernel-args S  more words for Linux's command line
  --put FILE[:DEST]  copies a file or directory in; DEST is relative to /root, where COMMAND
                   starts, and FILE's own name if not given; may be repeated
  --counts FILE    the machine's own counts between markers, as one JSON array
  --timeout S      seconds of real time (600; none with --shell)
  --keep           keeps the run's directory below build/run and names it
  --shell          a prompt on the machine; exit ends it
  --micro ELF      boots ELF under Xen in Linux's place and prints its console. It ends with a
                   line "RESULT pass|fail|skip|error": status 0, 1, 77, 2. WORDs are its
                   command line. Default system: xen
  -v               the machine's consoles on stderr, and what is being done
  -h, --help       this text

Environment: PERFCTR_XEN_CACHE, where built parts are kept (~/.cache/perfctr-xen).
For work on the machine itself: PERFCTR_XEN_QEMU, another QEMU binary.
EOF
}

# $1 option, $2 value, $3 pattern (extended regular expression), $4 what is allowed
need_match() {
    [[ $2 =~ ^($3)$ ]] || die "$1 $2: must be $4"
}

parse_options() {
    local system_given=
    while [ $# -gt 0 ]; do
        case $1 in
            --system | --kernel | --in | --vcpus | --mem | --mode | --xen-args | --kernel-args | \
                --put | --counts | --timeout | --micro)
                [ $# -ge 2 ] || die "$1 needs a value (see --help)"
                ;;
        esac
        case $1 in
            --system) O_SYSTEM=$2 system_given=1 && shift ;;
            --kernel) O_KERNEL=$2 && shift ;;
            --in) O_IN=$2 && shift ;;
            --vcpus) O_VCPUS=$2 && shift ;;
            --mem) O_MEM=$2 && shift ;;
            --mode) O_MODE=$2 && shift ;;
            --xen-args) O_XEN_ARGS=$2 && shift ;;
            --kernel-args) O_KERNEL_ARGS=$2 && shift ;;
            --put) O_PUT+=("$2") && shift ;;
            --counts) O_COUNTS=$2 && shift ;;
            --timeout) O_TIMEOUT=$2 && shift ;;
            --micro) O_MICRO=$2 && shift ;;
            --shell) O_SHELL=1 ;;
            --keep) O_KEEP=1 ;;
            -v) VERBOSE=1 ;;
            -h | --help) usage; exit 0 ;;
            --) shift; O_COMMAND=("$@"); break ;;
            *) die "unknown argument $1 (see --help)" ;;
        esac
        shift
    done
    if [ -n "$O_MICRO" ] && [ -z "$system_given" ]; then
        O_SYSTEM=xen
    fi
    check_options
}

check_options() {
    need_match --system "$O_SYSTEM" 'native|xen|xen-eager|xen-vpmu|xen-stock' \
        "native, xen, xen-eager, xen-vpmu or xen-stock"
    need_match --kernel "$O_KERNEL" 'bookworm|trixie' "bookworm or trixie"
    need_match --in "$O_IN" 'dom0|pv' "dom0 or pv"
    if [ "$O_IN" != dom0 ]; then
        [ "$O_SYSTEM" != native ] || die "--in $O_IN needs Xen (see --system)"
        [ -z "$O_MICRO$O_SHELL" ] || die "--in $O_IN excludes --micro and --shell"
    fi
    need_match --vcpus "$O_VCPUS" '[1-9]|[1-5][0-9]|6[0-4]' "1 to 64"
    need_match --mode "$O_MODE" 'icount|mttcg' "icount or mttcg"
    need_match --timeout "$O_TIMEOUT" '[1-9][0-9]{0,5}' "a number of seconds"
    if [ -z "$O_MEM" ]; then
        [ "$O_SYSTEM" = native ] && O_MEM=1024 || O_MEM=1536
        [ "$O_IN" = dom0 ] || O_MEM=2576
    fi
    need_match --mem "$O_MEM" '[1-9][0-9]{2,5}' "100 to 999999"
    if [ -n "$O_MICRO" ]; then
        [ "$O_SYSTEM" != native ] || die "--micro needs Xen (see --system)"
        [ -f "$O_MICRO" ] || die "--micro $O_MICRO: no such file"
        [ -z "$O_SHELL" ] || die "--micro and --shell exclude each other"
    elif [ -n "$O_SHELL" ]; then
        [ "${#O_COMMAND[@]}" = 0 ] || die "--shell takes no command"
        [ -t 0 ] || die "--shell needs a terminal"
    else
        [ "${#O_COMMAND[@]}" -gt 0 ] || die "no command (see --help)"
    fi
    check_files
}

check_files() {
    local put
    for put in "${O_PUT[@]}"; do
        [ -e "${put%%:*}" ] || die "--put ${put%%:*}: no such file"
    done
    if [ -n "$O_COUNTS" ]; then
        # Made at once: a boot later would be late to learn that it cannot be written.
        : 2>/dev/null >"$O_COUNTS" || die "--counts $O_COUNTS: cannot be written"
        O_COUNTS=$(readlink -f "$O_COUNTS")
    fi
    case $O_XEN_ARGS$O_KERNEL_ARGS in
        *$'\n'*) die "a kernel's command line is one line" ;;
    esac
}
