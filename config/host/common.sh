# shellcheck shell=bash
# Shared by soft-roce and nic: idempotent steps, which a dry run only prints.

dry_run=""
doctor=yes
root=""
group=rdma
huge_pages=0
changes=0

fail() {
    echo "${0##*/}: $*" >&2
    exit 1
}

wrong_usage() {
    echo "${0##*/}: $*" >&2
    usage >&2
    exit 2
}

# common_option ARGUMENT...: parses one of the common options. Stores its number of arguments in $taken, 0 if it is
# another option.
# shellcheck disable=SC2034 # taken is read by scripts that source this file
common_option() {
    taken=1
    case "$1" in
        --dry-run) dry_run=yes ;;
        --no-doctor) doctor="" ;;
        --group | --huge-pages | --root)
            (($# > 1)) || wrong_usage "$1 needs a value"
            local name="${1#--}"
            printf -v "${name//-/_}" '%s' "$2"
            taken=2
            ;;
        -h | --help)
            usage
            exit 0
            ;;
        *) taken=0 ;;
    esac
}

check_common() {
    [[ "$huge_pages" =~ ^[0-9]+$ ]] || wrong_usage "--huge-pages is '$huge_pages', but must be a number"
    [[ "$group" =~ ^[a-z_][a-z0-9_-]*$ ]] || wrong_usage "--group is '$group', which is not a valid group name"
    [[ -n "$dry_run" || -n "$root" || $EUID -eq 0 ]] ||
        fail "this script changes the host and needs root: run sudo $0, or use --dry-run to list the changes"
}

# run COMMAND...: runs the command. Only prints it in a dry run, and with --root, where the script only writes files.
run() {
    changes=$((changes + 1))
    if [[ -n "$dry_run" || -n "$root" ]]; then
        echo "would run: $*"
    else
        echo "run: $*"
        "$@"
    fi
}

# write FILE: writes standard input to the file if its content differs. Sets $written if the content changed.
write() {
    local file="$root$1" wanted
    wanted="$(cat)"
    written=""
    if [[ -f "$file" && "$(cat "$file")" == "$wanted" ]]; then
        echo "ok: $1"
        return
    fi
    written=yes
    changes=$((changes + 1))
    if [[ -n "$dry_run" ]]; then
        echo "would write $1:"
        echo "    ${wanted//$'\n'/$'\n'    }"
    else
        echo "write: $1"
        mkdir -p "${file%/*}"
        printf '%s\n' "$wanted" >"$file"
    fi
}

need() { # command package
    command -v "$1" >/dev/null || fail "the command $1 is missing: install $2"
}

is_loaded() { # module
    [[ -d "$root/sys/module/$1" ]]
}

load() { # module...
    local module
    for module in "$@"; do
        if is_loaded "$module"; then
            echo "ok: module $module"
        else
            run modprobe "$module"
        fi
    done
}

# modules MODULE...: loads modules now and at every start.
modules() {
    write /etc/modules-load.d/rdma-rpc.conf < <(
        echo "# RDMA modules that are not loaded automatically."
        printf '%s\n' "$@"
    )
    load "$@"
}

# Raises the memory lock limit, which registering memory needs. The group is for login sessions. Services
# have LimitMEMLOCK, and containers --ulimit.
memlock() {
    if ! grep -q "^$group:" "$root/etc/group"; then
        run groupadd --system "$group"
    fi
    write /etc/security/limits.d/90-rdma-rpc.conf < <(
        echo "# RDMA locks registered memory."
        echo "@$group - memlock unlimited"
        echo "@$group - nofile 65536"
    )
}

# Restricts the device files to the group. rdma-core's own rule allows all users.
device_rights() {
    write /etc/udev/rules.d/90-rdma-rpc.rules < <(
        echo '# Restrict verbs devices and the librdmacm device to one group.'
        echo "SUBSYSTEM==\"infiniband_verbs\", KERNEL==\"uverbs*\", GROUP=\"$group\", MODE=\"0660\""
        echo "SUBSYSTEM==\"misc\", KERNEL==\"rdma_cm\", GROUP=\"$group\", MODE=\"0660\""
    )
    if [[ -n "$written" && -S /run/udev/control ]]; then
        run udevadm control --reload
        run udevadm trigger --subsystem-match=infiniband_verbs --subsystem-match=misc
    fi
}

# Reserves huge pages, and raises the limit of socket receive buffers for the software RNIC.
kernel_settings() {
    write /etc/sysctl.d/90-rdma-rpc.conf < <(
        echo "# Socket buffers for large messages of the software RNIC."
        echo "net.core.rmem_max = 4194304"
        if ((huge_pages > 0)); then
            echo "# Huge pages of 2 MiB for rdma.memory.huge-pages."
            echo "vm.nr_hugepages = $huge_pages"
        fi
    )
    [[ -z "$written" ]] || run sysctl --load "$root/etc/sysctl.d/90-rdma-rpc.conf"
}

finish() {
    if ((changes == 0)); then
        echo "the host is already prepared; nothing was changed"
    elif [[ -n "$dry_run" ]]; then
        echo "dry run: nothing was changed"
    else
        echo "add each user of RDMA to the group and log in again: usermod --append --groups $group NAME"
    fi
    if [[ -n "$doctor" && -z "$dry_run" && -z "$root" ]]; then
        "$(dirname "${BASH_SOURCE[0]}")/../../rdma-rpc" doctor
    fi
}
