# shellcheck shell=bash
# Sourced by perf-check and jucx-check after pairs.sh: runs of perftest, and the arguments of the corresponding Java
# runs. The sourcing script sets lat_iters, bw_mib and tool.

readonly device=(-d rxe0 -x 1)
readonly c_port=18515

# Sets the arguments of both kinds of runs in `words`. For Java it also sets the number of warm-up runs, and of warm-up
# operations per run, for the JIT compilers. They need some 20 000 round trips. For large operations the polling in
# between is enough.
describe() { # send-lat|read-bw|write-bw connection size
    local iterations # perftest requires at least 5
    if [ "$1" = send-lat ]; then
        # -I 0, because perftest would send small messages inline on NICs that it knows.
        words=(-c "$2" -s "$3" -n "$lat_iters" -I 0)
        warm_up=500
        warm_up_runs=$((20000 / (lat_iters + warm_up) + 1))
        column=5
    else
        iterations=$((bw_mib * 1024 * 1024 / $3))
        words=(-s "$3" -n $((iterations < 5 ? 5 : iterations)) -t 16)
        warm_up=2
        warm_up_runs=3
        column=4
    fi
}

# Makes a run of the C program and prints its number.
baseline_run() {
    local c_tool="ib_${tool//-/_}" extra=() c_server
    [ "$tool" = send-lat ] || extra=(--noPeak)
    taskset -c 0 "$c_tool" "${device[@]}" -F -p $c_port "${extra[@]}" "${words[@]}" >"$work/c-server.log" 2>&1 &
    c_server=$!
    wait_for_listener $c_port 30 $c_server || fail "$c_tool does not listen"
    timeout 300 taskset -c 1 "$c_tool" "${device[@]}" -F -p $c_port "${extra[@]}" "${words[@]}" 127.0.0.1 >"$work/c-client.log" 2>&1 ||
        fail "$c_tool ended with status $?"
    wait "$c_server" || fail "the server of $c_tool ended with status $?"
    number_of "$column" <"$work/c-client.log" || fail "no result of $c_tool"
}
