# shellcheck shell=bash
# Sourced by new-user-check. Reads code blocks of pages, writes the files that a page shows, and runs its commands.

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
