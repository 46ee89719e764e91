# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The parts of the machine: what each is made of (its cache key) and how it is built; sourced.
#
# For a part NAME: inputs_NAME prints everything that decides the result, build_NAME WORK OUT
# builds it with set -e in a process of its own, needs_NAME (if any) names parts it uses. A part
# whose name ends in a suite is made of that suite's packages.

PARTS="qemu xen xen_stock kernel headers module rootfs"

part_exists() {
    declare -F "build_$1" >/dev/null
}

part_note() {
    case $1 in
        qemu) echo "about 5 minutes on 2 cores" ;;
        compiler_* | stress) echo "2 minutes" ;;
        xen | xen_eager) echo "about 4 minutes on 2 cores, less with a warm compiler cache" ;;
        *) echo "less than a minute" ;;
    esac
}

# The suite whose packages a part is made of: that at the end of its name, or our own.
part_suite() {
    local suite
    for suite in $SUITES; do
        case $1 in
            *_"$suite") echo "$suite" && return ;;
        esac
    done
    echo "$HOME_SUITE"
}

# The text of the function that builds a part is one of its inputs.
part_inputs() {
    apt_use "$(part_suite "$1")"
    apt_prepare
    "inputs_$1"
    declare -f "build_$1"
}

compiler_cache() {
    export CCACHE_DIR=$CACHE/ccache CCACHE_BASEDIR=$1 CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=2G
    export CCACHE_SLOPPINESS=time_macros
}

# --- QEMU: Debian's source with our patch series, one target ---------------------------------

inputs_qemu() {
    apt_source_version qemu
    apt_version seabios
    apt_version qemu-system-data
    cache_tree machine/qemu/patches
}

build_qemu() {
    local work=$1 out=$2 patch
    apt_source_fetch qemu "$work/qemu"
    cd "$work/qemu"
    if [ -f "$MACHINE/qemu/patches/series" ]; then
        for patch in $(list_entries "$MACHINE/qemu/patches/series"); do
            patch -p1 --no-backup-if-mismatch <"$MACHINE/qemu/patches/$patch"
        done
    fi
    compiler_cache "$work"
    # Only what the machine has: the rest is half of the build.
    printf 'CONFIG_%s=y\n' I440FX SERIAL_ISA SERIAL_PCI_MULTI >configs/devices/x86_64-softmmu/perfctr.mak
    mkdir b
    cd b
    ../configure --cc="ccache gcc" --host-cc="ccache gcc" \
        --target-list=x86_64-softmmu --without-default-features --without-default-devices \
        --with-devices-x86_64=perfctr --enable-tcg --disable-docs \
        --disable-tools --disable-guest-agent --disable-werror --disable-capstone \
        --disable-slirp --disable-install-blobs
    ninja -j"$(nproc)" qemu-system-x86_64
    strip -o "$out/qemu-system-x86_64" qemu-system-x86_64
    apt_deb_fetch "$work/firmware" seabios qemu-system-data
    mkdir "$out/firmware"
    cp -L "$work"/firmware/usr/share/seabios/bios*.bin "$out/firmware/"
    cp -L "$work"/firmware/usr/share/qemu/{linuxboot_dma,multiboot_dma,pvh,kvmvapic}.bin \
        "$out/firmware/"
}

# --- Xen: Debian's source and configuration, with ours applied ----------------------------

inputs_xen() {
    apt_source_version xen
    cache_tree xen core include/xen
    declare -f xen_make
}

# xen_make WORK OUT [MAKE VARIABLE]...
xen_make() {
    local work=$1 out=$2
    shift 2
    apt_source_fetch xen "$work/xen"
    "$TREE/xen/apply" "$work/xen"
    compiler_cache "$work"
    cd "$work/xen"
    cp debian/xen-kconfig xen/.config
    # Debian's rules, without the tools: no date or build path in the binary.
    export DEB_VERSION DEB_MAINTAINER="perfctr-xen <none@invalid>"
    DEB_VERSION=$(dpkg-parsechangelog -S Version)
    export XEN_BUILD_DATE=none XEN_BUILD_TIME=none
    local flags=(-C xen CC="ccache gcc" HOSTCC="ccache gcc" PYTHON=/usr/bin/python3
        XEN_TARGET_ARCH=x86_64 GIT=/bin/false WGET=/bin/false
        EXTRA_CFLAGS_XEN_CORE="-ffile-prefix-map=$work/xen=. -fdebug-prefix-map=$work/xen=."
        "$@")
    make "${flags[@]}" olddefconfig
    make "${flags[@]}" -j"$(nproc)" build
    cp xen/xen "$out/xen"
    cp xen/.config "$out/config"
    # Symbols, for addresses in a log.
    nm -n xen/xen-syms >"$out/symbols"
}

build_xen() {
    xen_make "$1" "$2"
}

# Ours with every shortcut off: what tests compare with.
inputs_xen_eager() {
    inputs_xen
}

build_xen_eager() {
    xen_make "$1" "$2" PCX_EAGER=y
}

inputs_xen_stock() {
    apt_version xen-hypervisor-4.17-amd64
}

build_xen_stock() {
    apt_deb_fetch "$1/deb" xen-hypervisor-4.17-amd64
    gunzip -c "$1"/deb/boot/xen-4.17-amd64.gz >"$2/xen"
}

# --- Linux: Debian's newest kernel of the suite, unmodified ----------------------------------

kernel_package() {
    apt_depends linux-image-amd64 'linux-image-[0-9].*' | head -n 1
}

kernel_inputs() {
    local image
    image=$(kernel_package)
    echo "$image"
    apt_version "$image"
    cache_tree machine/image/modules machine/lib/kernel-payload
    declare -f kernel_make initramfs_pack
}

# Files vmlinux, release, and as an initramfs the modules: to be mounted with, and for modprobe.
kernel_make() {
    local work=$1 out=$2 image name from to path
    image=$(kernel_package)
    apt_deb_fetch "$work/deb" "$image"
    name=${image#linux-image-}
    echo "$name" >"$out/release"
    "$MACHINE/lib/kernel-payload" "$work/deb/boot/vmlinuz-$name" >"$out/vmlinux"
    from=$work/deb/lib/modules/$name
    [ -d "$from" ] || from=$work/deb/usr/lib/modules/$name
    to=$work/tree/lib/modules/$name
    for path in $(list_entries "$MACHINE/image/modules"); do
        mkdir -p "$to/kernel/${path%/*}"
        cp -r "$from/kernel/$path"* "$to/kernel/${path%/*}/"
    done
    cp "$from"/modules.{builtin,builtin.modinfo,order} "$to/"
    find "$to" -name '*.xz' -exec xz -d {} +
    depmod -b "$work/tree" "$name"
    mkdir -p "$work/initramfs/put/usr/lib" "$work/initramfs/modules"
    for path in loop squashfs overlay; do
        find "$to" -name "$path.ko" -exec cp {} "$work/initramfs/modules/" \;
    done
    mv "$work/tree/lib/modules" "$work/initramfs/put/usr/lib/modules"
    initramfs_pack "$work/initramfs" >"$out/initramfs"
}

inputs_kernel() {
    kernel_inputs
}

build_kernel() {
    kernel_make "$@"
}

# --- Our module --------------------------------------------------------------------------------

headers_package() {
    local image
    image=$(kernel_package)
    echo "${image/image/headers}"
}

# What modules for the kernel of this release are built with, by the host's compiler.
inputs_headers() {
    local headers
    headers=$(headers_package)
    echo "$headers"
    apt_version "$headers"
}

build_headers() {
    local work=$1 out=$2 headers dependencies
    headers=$(headers_package)
    dependencies=$(apt_depends "$headers" 'linux-(headers|kbuild)-.*')
    # shellcheck disable=SC2086 # a list of package names
    apt_deb_fetch "$work/deb" "$headers" $dependencies
    mv "$work/deb/usr" "$out/"
    # The headers name each other by absolute paths; here they stand in the cache.
    sed -i 's,^include /usr/src/,include $(dir $(lastword $(MAKEFILE_LIST)))../,' \
        "$out/usr/src/$headers/Makefile"
    ln -s "usr/src/$headers" "$out/build"
}

module_inputs() {
    cache_tree linux include/xen
    declare -f module_make
}

# module_make WORK OUT [MAKE VARIABLE]...
module_make() {
    local work=$1 out=$2
    shift 2
    cache_get headers
    make -C "$TREE/linux" KDIR="$ENTRY/build" OUT="$work/module" "$@"
    cp "$work/module/perfctr_xen.ko" "$out/"
}

needs_module() {
    echo headers
}

inputs_module() {
    inputs_headers
    module_inputs
}

build_module() {
    module_make "$1" "$2"
}

# With every shortcut off, for the Xen without any.
needs_module_eager() {
    echo headers
}

inputs_module_eager() {
    inputs_headers
    module_inputs
}

build_module_eager() {
    module_make "$1" "$2" PX_EAGER=y
}

# --- The root file system, of no particular kernel ---------------------------------------------

inputs_rootfs() {
    local package
    for package in $(list_entries "$MACHINE/image/packages"); do
        apt_version "$package"
    done
    cache_tree machine/image/packages
    declare -f apt_root initramfs_pack
}

build_rootfs() {
    local work=$1 out=$2 packages
    packages=$(list_entries "$MACHINE/image/packages" | paste -sd,)
    apt_root "$work/root.tar" "$packages" \
        --customize-hook='cd "$1" && rm -rf usr/share/doc usr/share/man usr/share/locale \
            usr/share/info usr/share/lintian usr/share/bash-completion var/cache/* \
            var/lib/apt/lists/*' \
        --customize-hook='upload /dev/null /etc/machine-id' \
        --customize-hook='echo machine >"$1/etc/hostname"'
    # lz4: the emulated processor unpacks it ten times as fast as zstd.
    mkdir -p "$work/initramfs"/{bin,dev,proc,sys,run,lower,upper,new}
    mksquashfs - "$work/initramfs/root.squashfs" -tar -comp lz4 -noappend -quiet -no-progress \
        <"$work/root.tar"
    tar -xOf "$work/root.tar" ./usr/bin/busybox >"$work/initramfs/bin/busybox"
    chmod 755 "$work/initramfs/bin/busybox"
    initramfs_pack "$work/initramfs" >"$out/initramfs"
}

# --- Debian's toolstack: what dom0 needs to start a domain ---------------------------------------

inputs_toolstack() {
    local package
    for package in $(list_entries "$MACHINE/image/toolstack"); do
        echo "$package"
        apt_version "$package"
    done
}

# Programs and libraries alone: Python and udev, which the packages depend on, are for what we do
# not use.
build_toolstack() {
    local work=$1 out=$2 libraries=usr/lib/x86_64-linux-gnu programs=usr/lib/xen-4.17/bin name
    # shellcheck disable=SC2046 # a list of package names
    apt_deb_fetch "$work/deb" $(list_entries "$MACHINE/image/toolstack")
    mkdir -p "$out/$libraries" "$out/$programs"
    for name in xenstored xenconsoled xen-init-dom0 xen-hptool libxl-save-helper xl; do
        cp "$work/deb/$programs/$name" "$out/$programs/"
    done
    for name in "$work"/deb/{usr/,}lib/x86_64-linux-gnu/*.so.*; do
        [ ! -f "$name" ] || cp -P "$name" "$out/$libraries/"
    done
}

# --- A load for tests: a program and all libraries it needs, to be put into a guest -------------

inputs_stress() {
    apt_version stress-ng
    declare -f apt_root chroot_run
}

build_stress() {
    local work=$1 out=$2 library
    apt_root "$work/root.tar" stress-ng --skip=output/dev
    mkdir -p "$work/root" "$out/lib"
    tar -C "$work/root" -xf "$work/root.tar"
    cp "$work/root/usr/bin/stress-ng" "$out/"
    for library in $(chroot_run "$work/root" ldd /usr/bin/stress-ng | sed -n 's/.* => \([^ ]*\) .*/\1/p'); do
        cp -L "$work/root$library" "$out/lib/"
    done
}

# shellcheck source=machine/lib/suites.sh
. "$MACHINE/lib/suites.sh"
