# shellcheck shell=bash
# Sourced by .ci/run and full-check: runs checks as steps. At its end the script prints each step with its time, and the
# steps that did not run. If a step fails, the last lines name the failed tests and the commands that run only those. A
# step that leaves processes behind fails, too.

# Each process of a step inherits this variable, by which leftover processes are found.
export RDMA_RPC_STEPS="$$-$RANDOM$RANDOM"

STEPS_STARTED="$(mktemp)"
STEPS_TABLE=()
STEPS_PLANNED=()
STEPS_FAILED=""
STEPS_ALONE=""

# plan TITLE...: announces steps. The table also lists the steps that were not reached.
plan() { STEPS_PLANNED+=("$@"); }

# row COLUMN COLUMN COLUMN: adds a row to the table and removes its title from the planned steps.
row() {
    local title planned=()
    STEPS_TABLE+=("$(printf '%8s  %-8s%s' "$@")")
    for title in "${STEPS_PLANNED[@]}"; do
        if [[ "$title" != "$3" ]]; then planned+=("$title"); fi
    done
    STEPS_PLANNED=("${planned[@]}")
}

# step TITLE COMMAND [ARGUMENT...]: runs the command with its output, and ends the script if it fails.
step() {
    local title=$1 start=$SECONDS status=0
    shift
    STEPS_FAILED=$title
    STEPS_ALONE=${STEP_ALONE:-$*}
    touch "$STEPS_STARTED"
    printf '\n==== %s: %s\n' "$title" "$STEPS_ALONE"
    # Uses a subshell, because "set -e" has no effect in a function that is part of a condition.
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

# Prints and ends the processes of this script's steps that still run. Some end shortly after their step.
no_leftovers() {
    local found pid
    for _ in {1..25}; do
        found="$(leftovers)"
        if [[ -z "$found" ]]; then return 0; fi
        sleep 0.1
    done
    echo "processes left behind by the step:" >&2
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

# Prints the table, then the failed step and tests.
steps_end() {
    local status=$? title
    trap - EXIT
    echo
    echo "$0, $SECONDS s, $(nproc) cores:"
    for title in "${STEPS_PLANNED[@]}"; do row "" "not run" "$title"; done
    printf '%s\n' "${STEPS_TABLE[@]}"
    if ((status != 0)); then
        echo
        echo "FAILED: ${STEPS_FAILED:-$0 itself, status $status}. Command that runs only this step:"
        echo "    ${STEPS_ALONE:-$0}"
        config/failed-tests "$STEPS_STARTED" || true
    fi
    rm -f "$STEPS_STARTED"
    exit "$status"
}
trap steps_end EXIT
