# shellcheck shell=bash
# Sourced by perf-check, rpc-perf-check and jucx-check: pairs of runs, and the line of a table that they produce.
#
# The sourcing script sets pairs, repeats, only, java, java_flags and root, and defines for each line
#
#   launch_line     starts the JVMs that serve all its runs, by launch_server and launch_client. Fails if one ends
#   baseline_run    prints the number of a baseline run
#   measured_run    prints the number of a measured run
#
# A run that returns $AGAIN has lost a JVM, so the JVMs of the line are restarted. Any other failure ends the check.

readonly AGAIN=3
readonly MOST_CRASHES=5

work=$(mktemp -d)
missed=0
crashes=0
declare -A server=() orders=() results=() log_of=()

fail() {
    local log
    echo "$(basename "$0"): $*" >&2
    for log in "$work"/*.log; do
        [ -f "$log" ] || continue
        echo "--- $(basename "$log")" >&2
        tail -n 20 "$log" >&2
    done
    exit 1
}

cleanup() {
    end_jvms
    rm -rf "$work"
}
trap cleanup EXIT
# Ignores SIGPIPE, because a JVM that ended leaves a closed pipe, which must not end the script.
trap '' PIPE

# ---------------------------------------------------------------------------------------------------------------- JVMs

# Starts a server. Stores its pid in server[name] and its output in <name>-server.out. Its standard input stays open.
launch_server() { # name words...
    local name=$1
    shift
    mkfifo "$work/$name-stay"
    "$java" "${java_flags[@]}" -jar "$root/benchmarks/target/benchmarks.jar" "$@" \
        <>"$work/$name-stay" >"$work/$name-server.out" 2>"$work/java-$name-server.log" &
    server[$name]=$!
    log_of[$!]=$work/java-$name-server.log
}

# Starts a client and waits for its first line, which shows that it is ready.
launch_client() { # name words...
    local name=$1 fd
    shift
    mkfifo "$work/$name-orders" "$work/$name-results"
    "$java" "${java_flags[@]}" -jar "$root/benchmarks/target/benchmarks.jar" "$@" \
        <"$work/$name-orders" >"$work/$name-results" 2>"$work/java-$name-client.log" &
    log_of[$!]=$work/java-$name-client.log
    exec {fd}>"$work/$name-orders"
    orders[$name]=$fd
    exec {fd}<"$work/$name-results"
    results[$name]=$fd
    read -r -t 600 -u "$fd" _
}

# Requests a run from a client and prints the line that the client reports.
order() { # name
    local line
    echo 2>/dev/null >&"${orders[$1]}" || return $AGAIN
    read -r -t 300 -u "${results[$1]}" line || return $AGAIN
    echo "$line"
}

# Rejects an incomplete line, which emulated JVMs sometimes print shortly before they abort.
not_a_result() { # line
    echo "not a result: '$1'" >&2
    return $AGAIN
}

end_jvms() {
    local fd pid
    for fd in "${orders[@]}" "${results[@]}"; do exec {fd}>&-; done
    for pid in "${!log_of[@]}"; do
        kill "$pid" 2>/dev/null || true
        kill -CONT "$pid" 2>/dev/null || true
    done
    wait "${!log_of[@]}" 2>/dev/null || true
    server=() orders=() results=() log_of=()
    rm -f "$work"/*-stay "$work"/*-orders "$work"/*-results
}

# Starts the JVMs of a line. Emulation of two CPUs occasionally corrupts compiled code, so a JVM that ended for that
# reason is restarted. Any other end is a failure of the check.
start_line() {
    end_jvms
    until launch_line; do
        ((crashes++ < MOST_CRASHES)) || fail "emulated JVMs crashed more than $MOST_CRASHES times"
        sleep 1
        died_in_compiled_code || aborted_without_a_word || fail "a JVM ended unexpectedly or hangs"
        echo "an emulated JVM crashed; restarting" >&2
        end_jvms
    done
    # Lets the JIT compilers finish.
    sleep 2
}

died_in_compiled_code() { cat "$work"/java-*.log | grep -A 1 '^# Problematic frame:' | grep -q '^# J '; }

# Succeeds if a JVM aborted without any report of Java, of the JVM or of libc, which a healthy JVM would print.
aborted_without_a_word() {
    local pid status
    for pid in "${!log_of[@]}"; do
        if kill -0 "$pid" 2>/dev/null || grep -qv '^listening on TCP port' "${log_of[$pid]}"; then continue; fi
        status=0
        wait "$pid" || status=$?
        ((status != 128 + 6)) || return 0
    done
    return 1
}

# -------------------------------------------------------------------------------------------------------------- a line

calculate() { awk "BEGIN { printf \"%.4f\", $1 }"; }
is_true() { awk "BEGIN { exit !($1) }"; }
median() { sort -g | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

# take VARIABLE RUN: stores the printed number of a run in a variable. Returns 1 if the run must be repeated.
take() { # variable run
    local number status=0
    number=$("$2") || status=$?
    case $status in
        0) printf -v "$1" %s "$number" ;;
        "$AGAIN")
            ((crashes++ < MOST_CRASHES)) || fail "emulated JVMs crashed more than $MOST_CRASHES times"
            echo "a run was lost; repeating it" >&2
            return 1
            ;;
        *) exit 1 ;;
    esac
}

# Measures a line. A pair is a measured run between two baseline runs. The later baseline run is also the earlier one of
# the next pair. The ratio of a pair is to the mean of both baseline runs. If these differ by more than a tenth, the
# machine had other work, and the pair is repeated.
measure() { # title unit goal
    local title=$1 unit=$2 goal=$3 before='' measured after repeated=0 counted=0
    [[ $title =~ $only ]] || return 0
    : >"$work/baseline" && : >"$work/measured" && : >"$work/ratios"
    while ((counted < pairs)); do
        if [ -z "$before" ]; then
            start_line
            take before baseline_run || continue
        fi
        if ! take measured measured_run || ! take after baseline_run; then
            before=
            continue
        fi
        echo "$title: $before, $measured, $after" >&2
        if is_true "($before - $after) ^ 2 > (0.1 * ($before < $after ? $before : $after)) ^ 2"; then
            ((++repeated <= repeats)) || break
        else
            counted=$((counted + 1))
            calculate "($before + $after) / 2" >>"$work/baseline" && echo >>"$work/baseline"
            echo "$measured" >>"$work/measured"
            calculate "$measured / (($before + $after) / 2)" >>"$work/ratios" && echo >>"$work/ratios"
        fi
        before=$after
    done
    end_jvms
    print_line "$title" "$unit" "$goal" "$counted" "$repeated"
}

print_header() { # baseline measured
    echo "| measurement | $1 median | $2 median | ratio | least | most | pairs (+ repeated) | goal | met |"
    echo "|---|--:|--:|--:|--:|--:|--:|--:|---|"
}

print_line() { # title unit goal counted repeated
    local ratio verdict=no
    if (($4 == 0)); then
        echo "| $1 | | | | | | 0 (+$5) | $3 | not measured: the baseline runs varied too much |"
        missed=$((missed + 1))
        return
    fi
    ratio=$(median <"$work/ratios")
    if is_true "$ratio $3"; then verdict=yes; else missed=$((missed + 1)); fi
    (($4 == pairs)) || verdict="$verdict, of $4 pairs"
    printf '| %s | %.2f %s | %.2f %s | %.3f | %.3f | %.3f | %d (+%d) | %s | %s |\n' "$1" "$(median <"$work/baseline")" "$2" \
        "$(median <"$work/measured")" "$2" "$ratio" "$(sort -g "$work/ratios" | head -n 1)" \
        "$(sort -g "$work/ratios" | tail -n 1)" "$4" "$5" "$3" "$verdict"
}

# number_of COLUMN: prints the column of the line with numbers in a report of perftest or of its counterparts.
number_of() { awk -v column="$1" '/^ *[0-9]+ +[0-9]+ +[0-9.]+/ { print $column; found = 1 } END { exit !found }'; }
