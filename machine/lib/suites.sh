# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Parts of other suites: their kernels, and our module for these, built by the suite's own compiler
# in a root of its own; sourced.

inputs_kernel_trixie() {
    kernel_inputs
}

build_kernel_trixie() {
    kernel_make "$@"
}

# --- A root with the suite's compiler and the headers of its newest kernel ----------------------

compiler_packages() {
    local headers
    headers=$(headers_package)
    echo make
    apt_depends "$headers" 'gcc-.*|linux-kbuild-.*'
}

compiler_inputs() {
    local package
    inputs_headers
    for package in $(compiler_packages); do
        echo "$package"
        apt_version "$package"
    done
    declare -f apt_root compiler_make
}

# A squashfs: one file is sealed and looked at faster than 30000.
compiler_make() {
    local work=$1 out=$2 headers common packages
    headers=$(headers_package)
    common=$(apt_depends "$headers" 'linux-headers-.*')
    packages=$(compiler_packages | paste -sd,)
    # shellcheck disable=SC2086 # a list of package names
    apt_deb_fetch "$work/headers" "$headers" $common
    apt_root "$work/root.tar" "$packages" --skip=output/dev \
        --customize-hook="sync-in $work/headers/usr/src /usr/src" \
        --customize-hook='cd "$1" && rm -rf usr/share/doc usr/share/man usr/share/locale \
            usr/share/info var/cache/* var/lib/apt/lists/*'
    mksquashfs - "$out/root.squashfs" -tar -comp lz4 -noappend -quiet -no-progress \
        <"$work/root.tar"
    echo "/usr/src/$headers" >"$out/headers"
}

inputs_compiler_trixie() {
    compiler_inputs
}

build_compiler_trixie() {
    compiler_make "$@"
}

inputs_compiler_sid() {
    compiler_inputs
}

build_compiler_sid() {
    compiler_make "$@"
}

# --- Our module for that kernel ------------------------------------------------------------------

# chroot_run DIRECTORY COMMAND...: all it says to stdout. Newer kernels' objtool looks into /proc.
# The mounts go when the command ends.
chroot_run() {
    local options=(--mount)
    [ "$(id -u)" = 0 ] || options+=(--map-root-user)
    mkdir -p "$1/dev" "$1/proc"
    unshare "${options[@]}" sh -e -c 'mount --rbind /dev "$1/dev"; mount --rbind /proc "$1/proc"
        exec chroot "$@" 2>&1' sh "$@"
}

foreign_inputs() {
    compiler_inputs
    module_inputs
    declare -f foreign_make chroot_run
}

# foreign_make WORK OUT [MAKE VARIABLE]...: also keeps what the compiler said.
foreign_make() {
    local work=$1 out=$2 root=$1/root
    shift 2
    cache_get "compiler_$SUITE"
    unsquashfs -quiet -no-progress -d "$root" "$ENTRY/root.squashfs"
    mkdir -p "$root/perfctr"
    cp -r "$TREE/linux" "$TREE/include" "$root/perfctr/"
    chroot_run "$root" make -C /perfctr/linux KDIR="$(cat "$ENTRY/headers")" OUT=/perfctr/out "$@" |
        tee "$out/log"
    cp "$root/perfctr/out/perfctr_xen.ko" "$out/"
}

needs_module_trixie() {
    echo compiler_trixie
}

inputs_module_trixie() {
    foreign_inputs
}

build_module_trixie() {
    foreign_make "$1" "$2"
}

needs_module_eager_trixie() {
    echo compiler_trixie
}

inputs_module_eager_trixie() {
    foreign_inputs
}

build_module_eager_trixie() {
    foreign_make "$1" "$2" PX_EAGER=y
}

needs_module_sid() {
    echo compiler_sid
}

inputs_module_sid() {
    foreign_inputs
}

build_module_sid() {
    foreign_make "$1" "$2"
}
