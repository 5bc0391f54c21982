# shellcheck shell=bash
# Runs checks step by step; sourced by .ci/run and full-check. At its end the script prints each step with its time, and those that
# were not run. If a step fails, the last lines say which tests have failed and how to run them alone. A process that a step leaves
# behind is a failure, too.

# Each process that a step starts inherits this variable, which is how leftovers are found.
export RDMA_RPC_STEPS="$$-$RANDOM$RANDOM"

STEPS_STARTED="$(mktemp)"
STEPS_TABLE=()
STEPS_PLANNED=()
STEPS_FAILED=""
STEPS_ALONE=""

# plan TITLE...: steps that are to come; those that are not reached are in the table, too.
plan() { STEPS_PLANNED+=("$@"); }

# row COLUMN COLUMN COLUMN: a line of the table, whose title is no longer planned.
row() {
    local title planned=()
    STEPS_TABLE+=("$(printf '%8s  %-8s%s' "$@")")
    for title in "${STEPS_PLANNED[@]}"; do
        if [[ "$title" != "$3" ]]; then planned+=("$title"); fi
    done
    STEPS_PLANNED=("${planned[@]}")
}

# step TITLE COMMAND [ARGUMENT...]: runs it, prints what it prints, and ends the script if it fails.
step() {
    local title=$1 start=$SECONDS status=0
    shift
    STEPS_FAILED=$title
    STEPS_ALONE=${STEP_ALONE:-$*}
    touch "$STEPS_STARTED"
    printf '\n==== %s: %s\n' "$title" "$STEPS_ALONE"
    # In a shell of its own: "set -e" does not work in a function that is part of a condition.
    set +e
    (
        set -e
        "$@"
    )
    status=$?
    set -e
    if ((status != 0)); then
        row "$((SECONDS - start)) s" FAILED "$title"
        exit "$status"
    fi
    row "$((SECONDS - start)) s" passed "$title"
    if ! no_leftovers; then
        STEPS_FAILED="$title left processes behind"
        exit 1
    fi
    STEPS_FAILED=""
}

# Prints the processes of our steps that still run, and ends them. Some end a moment after the step that started them.
no_leftovers() {
    local found pid
    for _ in {1..25}; do
        found="$(leftovers)"
        if [[ -z "$found" ]]; then return 0; fi
        sleep 0.1
    done
    echo "still running:" >&2
    for pid in $found; do
        echo "  $pid $(tr '\0' ' ' <"/proc/$pid/cmdline" | cut -c1-300)" >&2
        kill -KILL "$pid" 2>/dev/null || true
    done
    return 1
}

leftovers() {
    local environment pid
    for environment in /proc/[0-9]*/environ; do
        pid=${environment#/proc/}
        if grep -qsz "^RDMA_RPC_STEPS=$RDMA_RPC_STEPS\$" "$environment"; then echo "${pid%/environ}"; fi
    done
}

# Prints the table, then what failed.
steps_end() {
    local status=$? title
    trap - EXIT
    echo
    echo "$0, $SECONDS s, $(nproc) cores:"
    for title in "${STEPS_PLANNED[@]}"; do row "" "not run" "$title"; done
    printf '%s\n' "${STEPS_TABLE[@]}"
    if ((status != 0)); then
        echo
        echo "FAILED: ${STEPS_FAILED:-$0 itself, status $status}. To run this step alone:"
        echo "    ${STEPS_ALONE:-$0}"
        config/failed-tests "$STEPS_STARTED" || true
    fi
    rm -f "$STEPS_STARTED"
    exit "$status"
}
trap steps_end EXIT
