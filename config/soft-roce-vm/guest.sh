# Sourced by the commands that run inside the VM.

# find_jdk: prints the home of a JDK 25 or newer: JAVA_HOME, or one of the usual directories.
find_jdk() {
    local candidate
    for candidate in "${JAVA_HOME:-}" "${JAVA25_HOME:-}" /usr/lib/jvm/*; do
        if [ -n "$candidate" ] && [ -x "$candidate/bin/java" ] && grep -qE '^JAVA_VERSION="(2[5-9]|[3-9][0-9])' "$candidate/release"; then
            echo "$candidate"
            return
        fi
    done
    echo "no JDK 25 or newer found: install one, or set JAVA_HOME" >&2
    return 1
}

# Waits until a process listens on a TCP port. Fails if the process ends, or after the time limit.
wait_for_listener() { # port seconds pid
    local deadline=$((SECONDS + $2))
    until ss -Hltn "sport = :$1" | grep -q .; do
        kill -0 "$3" 2>/dev/null && [ $SECONDS -lt $deadline ] || return 1
        sleep 0.1
    done
}
