# shellcheck shell=bash
# Runs of perftest and what Java is asked for beside them; shared by perf-check and jucx-check, which set lat_iters, bw_mib
# and tool, and have read pairs.sh.

readonly device=(-d rxe0 -x 1)
readonly c_port=18515

# What both kinds are asked for, `words`. For Java, which has a compiler to feed, also how many runs come before the first
# that counts, and how many operations before those that a run measures. The compiler wants to see some 20 000 round trips;
# of operations that move much it needs no more than the polling in between.
describe() { # send-lat|read-bw|write-bw connection size
    local iterations # perftest takes no fewer than 5
    if [ "$1" = send-lat ]; then
        # perftest would send small messages inline on the NICs that it knows.
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

# Prints the number of a run of the C program.
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
