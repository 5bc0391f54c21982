# shellcheck shell=bash
# Sourced by checks that start the demo as a server: SCRATCH, which goes with the script as the server does, fail, start_server
# and stop_server.

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

# start_server LOG FUNCTION [argument ...]: leaves its port in $port. The function becomes the application, with more arguments.
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
    # shellcheck disable=SC2034 # whoever sources this reads it
    port="$(<"$SCRATCH/port")"
}

stop_server() {
    kill -TERM "$server"
    wait "$server" || true
    server=""
}
