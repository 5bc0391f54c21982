# Shared by the commands that run inside the VM.

# The home of a JDK 25 or newer: JAVA_HOME, or one of the usual places.
find_jdk() {
    local candidate
    for candidate in "${JAVA_HOME:-}" "${JAVA25_HOME:-}" /usr/lib/jvm/*; do
        if [ -n "$candidate" ] && [ -x "$candidate/bin/java" ] && grep -qE '^JAVA_VERSION="(2[5-9]|[3-9][0-9])' "$candidate/release"; then
            echo "$candidate"
            return
        fi
    done
    echo "no JDK 25 or newer found: set JAVA_HOME" >&2
    return 1
}

# Waits until a process listens on a TCP port; fails when it has ended, or after so many seconds.
wait_for_listener() { # port seconds pid
    local deadline=$((SECONDS + $2))
    until ss -Hltn "sport = :$1" | grep -q .; do
        kill -0 "$3" 2>/dev/null && [ $SECONDS -lt $deadline ] || return 1
        sleep 0.1
    done
}
