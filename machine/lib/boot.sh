# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# One boot of the machine: the run's directory, the initramfs, QEMU's command line; sourced.
#
# QEMU runs inside the run's directory and sees only relative names: no path of this host
# reaches a guest or needs quoting.

QEMU_STARTED=

run_directory() {
    mkdir -p "$TREE/build/run"
    RUN=$(mktemp -d "$TREE/build/run/$O_SYSTEM-XXXXXX") || die "cannot write to $TREE/build/run"
}

# 'word' as a shell reads it, whatever is in it
shell_quote() {
    printf "'%s' " "${1//\'/\'\\\'\'}"
}

# The part $1 that goes with the kernel of this run.
kernel_part() {
    if [ "$O_KERNEL" = "$HOME_SUITE" ]; then
        echo "$1"
    else
        echo "$1_$O_KERNEL"
    fi
}

# files_begin FILES COMMAND...: what every Linux gets: the first programs, the command, the module.
files_begin() {
    local files=$1 module='' word
    shift
    mkdir -p "$files/put/run/machine" "$files/put/root"
    chmod 755 "$files/put" "$files/put/run"
    chmod 700 "$files/put/root"
    cp "$MACHINE/image/init" "$files/init"
    cp "$MACHINE/image/start" "$files/put/run/machine/start"
    {
        printf 'exec '
        for word in "$@"; do
            shell_quote "$word"
        done
        echo
    } >"$files/put/run/machine/command"
    case $O_SYSTEM in
        xen) module=module ;;
        xen-eager) module=module_eager ;;
    esac
    if [ -n "$module" ]; then
        cache_get "$(kernel_part "$module")"
        cp "$ENTRY/perfctr_xen.ko" "$files/put/run/machine/"
    fi
}

# files_put FILES: what --put names.
files_put() {
    local files=$1 put destination
    for put in "${O_PUT[@]}"; do
        destination=${put#"${put%%:*}"}
        destination=${destination#:}
        put=${put%%:*}
        case $destination in
            "") destination=root/${put##*/} ;;
            */) destination+=${put##*/} ;;&
            /*) destination=${destination#/} ;;
            *) destination=root/$destination ;;
        esac
        mkdir -p "$files/put/$(dirname "$destination")"
        cp -rL --preserve=mode "$put" "$files/put/$destination"
    done
}

# files_end FILES INITRD IMAGE...: packs the files behind the images.
files_end() {
    local files=$1 initrd=$2
    shift 2
    initramfs_pack "$files" >"$RUN/files.cpio"
    cat "$@" "$RUN/files.cpio" >"$initrd"
    rm -rf "$files" "$RUN/files.cpio"
}

# write_files VMLINUX IMAGE...: what this run adds to the images.
write_files() {
    local vmlinux=$1 files=$RUN/files
    shift
    files_begin "$files" "${O_COMMAND[@]}"
    files_put "$files"
    if [ -n "$O_SHELL" ]; then
        : >"$files/put/run/machine/shell"
    fi
    if [ "$O_IN" = pv ]; then
        : >"$files/put/run/machine/domain"
        files_end "$files" "$RUN/domain-initrd" "$@"
        files_dom0 "$files" "$vmlinux"
    fi
    files_end "$files" "$RUN/initrd" "$@"
}

# files_dom0 FILES VMLINUX: dom0's command is to start the domain that runs the caller's.
files_dom0() {
    local files=$1 here=$1/put/run/machine
    files_begin "$files" sh /run/machine/start-domain
    cache_get toolstack
    cp -r "$ENTRY/usr" "$files/put/"
    cp "$MACHINE/image/start-domain" "$here/"
    cp "$2" "$here/vmlinux"
    mv "$RUN/domain-initrd" "$here/initrd"
    cat >"$here/domain.cfg" <<EOF
name = "domain"
kernel = "/run/machine/vmlinux"
ramdisk = "/run/machine/initrd"
extra = "console=hvc0 $KERNEL_WORDS${O_KERNEL_ARGS:+ $O_KERNEL_ARGS}"
memory = $DOMAIN_MEM
vcpus = $O_VCPUS
on_poweroff = "destroy"
on_reboot = "destroy"
on_crash = "destroy"
EOF
}

# Every Linux's. No tests of the crypto library: 6 s.
KERNEL_WORDS="nokaslr panic=-1 rdinit=/init cryptomgr.notests"

kernel_words() {
    # 8 UARTs: the card's are numbered after the PC's 4.
    local words="$KERNEL_WORDS 8250.nr_uarts=8"
    if [ "$O_SYSTEM" = native ]; then
        # The TSC is the one clock that keeps going when the host is busy.
        words="console=ttyS0 tsc=reliable $words"
        if [ "$O_MODE" = icount ]; then
            # It runs at 1 GHz; measuring that costs seconds.
            words+=" lpj=4000000"
        fi
    else
        words="console=hvc0 $words"
    fi
    if [ "$O_IN" = dom0 ] && [ -n "$O_KERNEL_ARGS" ]; then
        words+=" $O_KERNEL_ARGS"
    fi
    echo "$words"
}

xen_words() {
    local dom0=$((O_MEM - 336)) words
    if [ "$O_IN" != dom0 ]; then
        dom0=$((dom0 - DOMAIN_MEM))
    fi
    words="loglvl=all guest_loglvl=all com1=115200,8n1 console=com1 dom0_mem=${dom0}M,max:${dom0}M"
    if [ "$O_MODE" = mttcg ] && [ -z "$O_MICRO" ]; then
        # Other clocks stand still on a busy host, and Linux's time with them. Not for all: with
        # this one Xen brings no processor up again.
        words+=" clocksource=tsc tsc=stable:socket"
    fi
    case $O_SYSTEM in
        xen | xen-eager) words+=" perfctr=on" ;;
        xen-vpmu) words+=" vpmu=on" ;;
    esac
    echo "$words${O_XEN_ARGS:+ $O_XEN_ARGS}"
}

# Sets BOOT to QEMU's options that load the system. In -initrd a comma separates modules and
# two stand for one.
boot_options() {
    local words modules
    case $O_SYSTEM in
        native)
            BOOT=(-kernel vmlinux -append "$(kernel_words)" -initrd initrd)
            return
            ;;
        xen-stock) cache_get xen_stock ;;
        xen-eager) cache_get xen_eager ;;
        *) cache_get xen ;;
    esac
    ln -s "$ENTRY/xen" "$RUN/xen"
    if [ -n "$O_MICRO" ]; then
        cp "$O_MICRO" "$RUN/micro"
        words="micro ${O_COMMAND[*]}"
        modules=${words//,/,,}
    else
        words="vmlinux $(kernel_words)"
        modules=${words//,/,,},initrd
    fi
    BOOT=(-kernel xen -append "$(xen_words)" -initrd "$modules")
}

qemu_options() {
    local cpu=EPYC,+perfctr-core,+invtsc,+svm,+npt,-monitor
    if [ -n "$O_COUNTS" ]; then
        : >"$RUN/counts"
        cpu+=,x-perfctr-counts=counts
    fi
    QEMU_OPTIONS=(-M pc -m "$O_MEM" -smp "$O_VCPUS" -cpu "$cpu" -seed 1 -nodefaults
        -nic none -vga none -display none -no-reboot -monitor none)
    if [ "$O_MODE" = icount ]; then
        # The clock goes with the instructions and nothing of the host's gets in.
        QEMU_OPTIONS+=(-icount "shift=3,sleep=off" -rtc "base=2024-01-01T00:00:00,clock=vm")
    else
        QEMU_OPTIONS+=(-accel "tcg,thread=multi" -rtc "base=2024-01-01T00:00:00")
    fi
    local port
    for port in console out err status; do
        QEMU_OPTIONS+=(-chardev "file,id=$port,path=$port")
    done
    if [ -n "$O_SHELL" ]; then
        QEMU_OPTIONS+=(-chardev "stdio,id=terminal,signal=off")
    else
        QEMU_OPTIONS+=(-chardev "null,id=terminal")
    fi
    QEMU_OPTIONS+=(-serial chardev:console
        -device "pci-serial-4x,chardev1=out,chardev2=err,chardev3=status,chardev4=terminal")
}

# Runs the machine to its end. Sets QEMU_STATUS; 124 and 137 mean that time ran out.
machine_boot() {
    local qemu firmware=() tail_pid=
    if [ -n "${PERFCTR_XEN_QEMU:-}" ]; then
        qemu=$(readlink -f "$PERFCTR_XEN_QEMU")
        firmware=(-L /usr/share/seabios -L /usr/share/qemu)
    else
        cache_get qemu
        qemu=$ENTRY/qemu-system-x86_64
        firmware=(-L "$ENTRY/firmware")
    fi
    cd "$RUN"
    : >console
    if [ -n "$VERBOSE" ]; then
        tail -n +1 -f --pid=$$ console >&2 &
        tail_pid=$!
    fi
    progress "booting: $O_SYSTEM, $O_VCPUS processors, $O_MODE"
    QEMU_STATUS=0
    if [ -n "$O_SHELL" ]; then
        "$qemu" "${firmware[@]}" "${QEMU_OPTIONS[@]}" "${BOOT[@]}" 2>qemu-errors || QEMU_STATUS=$?
    else
        # In the background, so that a signal to us is answered at once and not when it ends.
        timeout -k 5 "$O_TIMEOUT" "$qemu" "${firmware[@]}" "${QEMU_OPTIONS[@]}" "${BOOT[@]}" \
            </dev/null >qemu-errors 2>&1 &
        QEMU_STARTED=$!
        wait "$QEMU_STARTED" || QEMU_STATUS=$?
    fi
    QEMU_STARTED=
    cd "$OLDPWD"
    if [ -n "$tail_pid" ]; then
        kill "$tail_pid" 2>/dev/null || true
    fi
}
