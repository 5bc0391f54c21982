# shellcheck shell=bash
# Sourced by checks that start the demo as a server. Defines SCRATCH, fail, start_server and stop_server. The end of the
# script ends the server and deletes SCRATCH.

fail() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

SCRATCH="$(mktemp -d)"
readonly SCRATCH
server=""
clean_up() {
    [[ -z "$server" ]] || kill -TERM "$server" 2>/dev/null || true
    [[ -z "$server" ]] || wait "$server" 2>/dev/null || true
    rm -rf "$SCRATCH"
}
trap clean_up EXIT

# start_server LOG FUNCTION [argument ...]: starts the server by the function, which gets more arguments. Stores its
# port in $port.
start_server() {
    rm -f "$SCRATCH/port"
    ("${@:2}" --rdma.server.port=0 "--demo.ready-file=$SCRATCH/port") >"$1" 2>&1 &
    server=$!
    for _ in {1..900}; do
        [[ ! -s "$SCRATCH/port" ]] || break
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    [[ -s "$SCRATCH/port" ]] || fail "the server did not start: $(<"$1")"
    # shellcheck disable=SC2034 # read by scripts that source this file
    port="$(<"$SCRATCH/port")"
}

stop_server() {
    kill -TERM "$server"
    wait "$server" || true
    server=""
}
