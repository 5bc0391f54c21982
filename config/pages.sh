# shellcheck shell=bash
# Sourced by new-user-check. Reads code blocks of pages, writes the files that a page shows, and runs commands.

# block PAGE LANGUAGE N: prints the n-th code block of a language. The language of a block without one is "".
block() {
    awk -v language="$2" -v wanted="$3" '
        /^```/ && !inside { inside = 1; count += ($0 == "```" language); shown = ($0 == "```" language && count == wanted); next }
        $0 == "```" { inside = 0; shown = 0; next }
        shown' "$1"
}

# blocks PAGE LANGUAGE: prints the number of code blocks of a language.
blocks() {
    awk -v language="$2" '
        /^```/ && !inside { inside = 1; count += ($0 == "```" language); next }
        $0 == "```" { inside = 0 }
        END { print count + 0 }' "$1"
}

# write_files PAGE DIRECTORY: writes the files that a page shows. The paragraph before the block names the file: the
# first name in code quotes that ends in .xml, .java, .kt or .yml. A class without a directory belongs to the directory
# of its package in src/main.
write_files() {
    awk -v directory="$2" -v page="$1" '
        function named(text) {
            while (match(text, /`[^` ]+`/)) {
                found = substr(text, RSTART + 1, RLENGTH - 2)
                text = substr(text, RSTART + RLENGTH)
                if (found ~ /\.(xml|java|kt|yml)$/) return found
            }
            return ""
        }
        /^```/ && !inside { inside = 1; name = named(paragraph); code = ""; package = ""; next }
        $0 == "```" {
            inside = 0
            paragraph = ""
            if (name == "") next
            if (name !~ /\// && name ~ /\.(java|kt)$/) {
                gsub(/\./, "/", package)
                name = "src/main/" (name ~ /java$/ ? "java" : "kotlin") "/" package "/" name
            }
            file = directory "/" name
            parent = file
            sub(/\/[^\/]*$/, "", parent)
            system("mkdir -p \"" parent "\"")
            printf "%s", code > file
            close(file)
            written++
            next
        }
        inside {
            if ($1 == "package") { package = $2; sub(/;$/, "", package) }
            code = code $0 "\n"
            next
        }
        /^$/ { ended = 1; next }
        ended { paragraph = ""; ended = 0 }
        { paragraph = paragraph " " $0 }
        END { if (!written) { print page " shows no file" > "/dev/stderr"; exit 1 } }' "$1"
}

# ---- commands ----

# Commands run in a group of processes of their own, with their output in $SCRATCH/NAME.log. The script that sources this
# file sets SCRATCH, a name for messages, and page for commands of a page. It calls stop_all at its end.
declare -A started=()
# The shell blocks of the page that have run, by number.
declare -A followed=()
# A prefix of all commands, such as one that enters a namespace.
within=()

fail() {
    echo "$(basename "$0"): ${name:-}: $*" >&2
    exit 1
}

# start NAME DIRECTORY COMMANDS: runs commands in the background, as in a terminal of its own.
start() {
    # await must not find lines of earlier commands with this name.
    : >"$SCRATCH/$1.log"
    setsid "${within[@]}" bash -euc 'cd "$1" && eval "$2"' bash "$2" "$3" >"$SCRATCH/$1.log" 2>&1 </dev/null &
    started[$1]=$!
}

# run NAME DIRECTORY SECONDS COMMANDS: runs commands, and waits for their end. They must end with the status $ends_with.
ends_with=0
run() {
    local status=0
    # In the background, so that a signal ends this script at once, and stop_all ends the commands.
    timeout --kill-after=5 "$3" "${within[@]}" bash -euc 'cd "$1" && eval "$2"' bash "$2" "$4" >"$SCRATCH/$1.log" 2>&1 </dev/null &
    started[$1]=$!
    wait "${started[$1]}" || status=$?
    ((status == ends_with)) || fail "status $status, not $ends_with, of these commands: $4"$'\n'"$(<"$SCRATCH/$1.log")"
    unset "started[$1]"
}

# start_block NAME DIRECTORY N, run_block NAME DIRECTORY SECONDS N: the same with the n-th shell block of the page.
start_block() {
    followed[$3]=yes
    start "$1" "$2" "$(block "$page" shell "$3")"
}
run_block() {
    followed[$4]=yes
    run "$1" "$2" "$3" "$(block "$page" shell "$4")"
}

# stop NAME: ends background commands by SIGTERM, and by SIGKILL after 20 s.
stop() {
    local group=${started[$1]}
    unset "started[$1]"
    kill -TERM -- "-$group" 2>/dev/null || true
    for _ in {1..200}; do
        kill -0 -- "-$group" 2>/dev/null || break
        sleep 0.1
    done
    kill -KILL -- "-$group" 2>/dev/null || true
    wait "$group" 2>/dev/null || true
}

stop_all() {
    local command
    for command in "${!started[@]}"; do stop "$command"; done
}

# await NAME PATTERN SECONDS [LINE]: waits for a line in the output of background commands, behind a line number.
await() {
    local log="$SCRATCH/$1.log" deadline=$((SECONDS + $3))
    until grep -Eq -- "$2" <(tail -n "+$((${4:-0} + 1))" "$log"); do
        kill -0 "${started[$1]}" 2>/dev/null || fail "$1 ended without a line that matches $2"$'\n'"$(<"$log")"
        ((SECONDS <= deadline)) || fail "$1 printed no line that matches $2 within $3 s"$'\n'"$(<"$log")"
        sleep 0.1
    done
}

# shows NAME PATTERN: requires a line in the output of commands.
shows() {
    grep -Eq -- "$2" "$SCRATCH/$1.log" || fail "$1 printed no line that matches $2"$'\n'"$(<"$SCRATCH/$1.log")"
}

# shows_block NAME N: requires all lines of the n-th block without a language in the output of commands.
shows_block() {
    local expected line
    expected="$(block "$page" "" "$2")"
    [[ -n "$expected" ]] || fail "the page has no block $2 without a language"
    while IFS= read -r line; do
        grep -Fq -- "$line" "$SCRATCH/$1.log" ||
            fail "$1 did not print this line of the page: $line"$'\n'"$(<"$SCRATCH/$1.log")"
    done <<<"$expected"
}
