# shellcheck shell=bash
# Sourced by `prepare` and `run`.

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
cache="${XDG_CACHE_HOME:-$HOME/.cache}/rdma-rpc/soft-roce-vm"
kernel="$cache/vmlinuz"
initramfs="$cache/initramfs.cpio"
stamp="$cache/stamp"

# Administration commands (modprobe, rdma) are not in every user's path.
PATH="$PATH:/usr/sbin:/sbin"

# die STATUS LINE...: prints the lines to stderr and exits.
die() {
    local status=$1
    shift
    printf 'soft-roce-vm: %s\n' "$@" >&2
    exit "$status"
}

# entries FILE: prints the lines of a list without comments and blank lines.
entries() {
    grep -Ev '^[[:space:]]*(#|$)' "$1"
}

is_present() {
    case $1 in
        /*) [[ -e $1 ]] ;;
        # The plain busybox package is linked dynamically, so an initramfs cannot use it.
        busybox) command -v busybox >/dev/null && ! ldd "$(command -v busybox)" >/dev/null 2>&1 ;;
        *) command -v "$1" >/dev/null ;;
    esac
}

# missing_packages USER...: prints the missing packages that one of USER (second column) needs.
missing_packages() {
    local package user probe
    while read -r package user probe; do
        if [[ " $* " == *" $user "* ]] && ! is_present "$probe"; then
            echo "$package"
        fi
    done < <(entries "$here/packages")
}

require_packages() {
    local missing
    mapfile -t missing < <(missing_packages "$@")
    ((!${#missing[@]})) || die 2 "missing Debian packages: ${missing[*]}" "install them with:" \
        "    apt-get install --no-install-recommends ${missing[*]}"
}

# Checksum of the files from which the VM is prepared. If it changes, the prepared kernel and initramfs are stale.
recipe_checksum() {
    cat "$here/prepare" "$here/modules" "$here/init" | sha256sum
}

is_prepared() {
    [[ -s $kernel && -s $initramfs && -s $stamp && $(<"$stamp") == "$(recipe_checksum)" ]]
}
