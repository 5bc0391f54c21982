package io.rdmarpc.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The kernel's files about this host. A missing file is read as an empty one.
 *
 * @param root the directory that contains {@code /proc}, {@code /sys} and {@code /dev}
 */
record HostFiles(Path root) {

    Path path(String file) {
        return root.resolve(file);
    }

    boolean exists(String file) {
        return Files.exists(path(file));
    }

    boolean mayReadAndWrite(String file) {
        return Files.isReadable(path(file)) && Files.isWritable(path(file));
    }

    /** Returns the sorted names in a directory. */
    List<String> names(String directory) {
        try (Stream<Path> entries = Files.list(path(directory))) {
            return entries.map(entry -> String.valueOf(entry.getFileName()))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    List<String> lines(String file) {
        try {
            return Files.readAllLines(path(file));
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Returns the last component of the target of a symbolic link; empty if the file is no link. */
    String linkName(String file) {
        try {
            return String.valueOf(Files.readSymbolicLink(path(file)).getFileName());
        } catch (IOException e) {
            return "";
        }
    }

    /** Returns the text after a name and a colon in a line such as {@code HugePages_Free:    8}. */
    Optional<String> value(String file, String name) {
        return lines(file).stream()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst();
    }

    /** Returns the number in the first line that contains only a number; empty if the file has no such line. */
    OptionalLong number(String file) {
        return lines(file).stream()
                .map(String::strip)
                .filter(line -> line.matches("\\d{1,18}"))
                .mapToLong(Long::parseLong)
                .findFirst();
    }

    /** Returns the soft limit in a line of {@code /proc/self/limits}; empty if it is unlimited or missing. */
    OptionalLong limit(String name) {
        return lines("proc/self/limits").stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).strip().split("\\s+", 2)[0])
                .filter(limit -> limit.matches("\\d{1,18}"))
                .mapToLong(Long::parseLong)
                .findFirst();
    }
}
