# Sourced by commands inside the VM that need a peer in another network namespace. rxe0 on v0 (10.1.0.1) stays in the
# initial namespace. v1 (10.1.0.2) moves to the namespace "peer", where UDP port 4791 is free for a software RNIC.

readonly rxe_address=10.1.0.1
readonly peer_address=10.1.0.2

make_peer() {
    ip netns add peer
    ip link set v1 netns peer
    ip -n peer addr add $peer_address/24 dev v1
    ip -n peer link set v1 mtu 4200 up
    ip -n peer link set lo up
    local deadline=$((SECONDS + 20))
    # rxe0 is down while its veth pair has no other end.
    until [[ $(</sys/class/infiniband/rxe0/ports/1/state) == *ACTIVE* ]]; do
        [ $SECONDS -lt $deadline ] || { echo "rxe0 is not active again after 20 s" >&2; return 1; }
        sleep 0.1
    done
}

# Impairs both directions of the link, for example by loss 1%. Without arguments it removes the impairment.
impair_link() { # words of tc netem...
    tc qdisc del dev v0 root 2>/dev/null || true
    ip netns exec peer tc qdisc del dev v1 root 2>/dev/null || true
    [ $# -gt 0 ] || return 0
    tc qdisc add dev v0 root netem "$@"
    ip netns exec peer tc qdisc add dev v1 root netem "$@"
}

rxe_counter() { cat "/sys/class/infiniband/rxe0/ports/1/hw_counters/$1"; }

# Prints rxe's error counters on one line. It excludes duplicate_request, because the software RNIC retransmits a
# request whose response takes much longer than earlier ones, as an emulated CPU sometimes causes. The check prints that
# number separately.
rxe_errors() {
    local name
    for name in out_of_seq_request rcvd_rnr_err send_rnr_err rcvd_seq_err retry_exceeded_err \
        retry_rnr_exceeded_err completer_retry_err send_err; do
        echo -n "$name=$(rxe_counter $name) "
    done
    echo
}
