# shellcheck shell=bash
# Finds a JDK; sourced by the commands at the root.

# jdk_version DIRECTORY: prints the major version of the JDK in a directory. Fails if there is none.
jdk_version() {
    [[ -x "$1/bin/java" && -x "$1/bin/javac" && -r "$1/release" ]] || return 1
    sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
}

# Prints the candidates: JAVA_HOME, JAVA25_HOME and similar variables, then the directories of Maven's toolchains
# plugin.
jdk_candidates() {
    [[ -z "${JAVA_HOME:-}" ]] || echo "$JAVA_HOME"
    env | sed -n 's/^JAVA[0-9A-Z_]*HOME[0-9A-Z_]*=//p'
    local place
    for place in "$HOME"/{.jdks,.m2/jdks,.gradle/jdks,.jbang/cache/jdks,.sdkman/candidates/java,.asdf/installs/java} \
        "$HOME/.local/share/mise/installs/java" \
        /usr/jdk /usr/java /usr/local/java /usr/local/lib/jvm /opt/java /opt/hostedtoolcache/*/* /usr/lib/jvm /usr/lib64/jvm \
        /Library/Java/JavaVirtualMachines; do
        for home in "$place"/*; do
            echo "$home"
            echo "$home/Contents/Home"
        done
    done
}

# Prints the path of java of a JDK 25 or newer. Fails with a message if there is none.
find_java() {
    local home version
    while IFS= read -r home; do
        if version="$(jdk_version "$home")" && [[ -n "$version" ]] && ((version >= 25)); then
            echo "$home/bin/java"
            return
        fi
    done < <(jdk_candidates)
    echo "no JDK 25 or newer found: install one, or set JAVA_HOME or JAVA25_HOME to it" >&2
    return 1
}
