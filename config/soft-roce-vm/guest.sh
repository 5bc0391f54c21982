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
