# shellcheck shell=bash
# Shared by soft-roce and nic: steps that can be repeated, or only be shown.

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

# common_option ARGUMENT...: takes one of the options that both have; says in $taken how many words it was, 0 for none.
# shellcheck disable=SC2034 # taken is read by those who source this
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
    [[ "$huge_pages" =~ ^[0-9]+$ ]] || wrong_usage "--huge-pages is '$huge_pages', but has to be a number"
    [[ "$group" =~ ^[a-z_][a-z0-9_-]*$ ]] || wrong_usage "--group is '$group', which is no name of a group"
    [[ -n "$dry_run" || -n "$root" || $EUID -eq 0 ]] ||
        fail "changes this host, and needs root: sudo $0, or --dry-run to see what it would do"
}

# run COMMAND...: does it, or says that it would. Below another root only files are written.
run() {
    changes=$((changes + 1))
    if [[ -n "$dry_run" || -n "$root" ]]; then
        echo "would run: $*"
    else
        echo "run: $*"
        "$@"
    fi
}

# write FILE: standard input becomes the file, unless it is that already. Says in $written whether something changed.
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

# modules MODULE...: now and at every start.
modules() {
    write /etc/modules-load.d/rdma-rpc.conf < <(
        echo "# Modules of RDMA that nothing loads by itself."
        printf '%s\n' "$@"
    )
    load "$@"
}

# Registering memory locks it. The group is for people who log in; services have LimitMEMLOCK, containers --ulimit.
memlock() {
    if ! grep -q "^$group:" "$root/etc/group"; then
        run groupadd --system "$group"
    fi
    write /etc/security/limits.d/90-rdma-rpc.conf < <(
        echo "# Registering memory for RDMA locks it."
        echo "@$group - memlock unlimited"
        echo "@$group - nofile 65536"
    )
}

# Who may open the devices: the group. Without this rule rdma-core's own lets everybody.
device_rights() {
    write /etc/udev/rules.d/90-rdma-rpc.rules < <(
        echo '# Verbs and connections of librdmacm for one group.'
        echo "SUBSYSTEM==\"infiniband_verbs\", KERNEL==\"uverbs*\", GROUP=\"$group\", MODE=\"0660\""
        echo "SUBSYSTEM==\"misc\", KERNEL==\"rdma_cm\", GROUP=\"$group\", MODE=\"0660\""
    )
    if [[ -n "$written" && -S /run/udev/control ]]; then
        run udevadm control --reload
        run udevadm trigger --subsystem-match=infiniband_verbs --subsystem-match=misc
    fi
}

# Huge pages, and receive buffers of sockets for the software RNIC.
kernel_settings() {
    write /etc/sysctl.d/90-rdma-rpc.conf < <(
        echo "# Large messages of the software RNIC."
        echo "net.core.rmem_max = 4194304"
        if ((huge_pages > 0)); then
            echo "# Of 2 MiB, for rdma.memory.huge-pages."
            echo "vm.nr_hugepages = $huge_pages"
        fi
    )
    [[ -z "$written" ]] || run sysctl --load "$root/etc/sysctl.d/90-rdma-rpc.conf"
}

finish() {
    if ((changes == 0)); then
        echo "everything was as it should be"
    elif [[ -n "$dry_run" ]]; then
        echo "nothing was changed"
    else
        echo "who is to use RDMA: usermod --append --groups $group NAME, and log in again"
    fi
    if [[ -n "$doctor" && -z "$dry_run" && -z "$root" ]]; then
        "$(dirname "${BASH_SOURCE[0]}")/../../rdma-rpc" doctor
    fi
}
