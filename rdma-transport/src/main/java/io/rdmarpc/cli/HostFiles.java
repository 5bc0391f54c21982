package io.rdmarpc.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * What the kernel tells about this host in files; those that are missing are empty.
 *
 * @param root where {@code /proc}, {@code /sys} and {@code /dev} are
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

    /** The names in a directory, sorted. */
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

    /** The last part of what a symbolic link names; empty when it is none. */
    String linkName(String file) {
        try {
            return String.valueOf(Files.readSymbolicLink(path(file)).getFileName());
        } catch (IOException e) {
            return "";
        }
    }

    /** What follows a name and a colon in a line such as {@code HugePages_Free:    8}. */
    Optional<String> value(String file, String name) {
        return lines(file).stream()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst();
    }

    /** The only number of a file, if it has one. */
    OptionalLong number(String file) {
        return lines(file).stream()
                .map(String::strip)
                .filter(line -> line.matches("\\d{1,18}"))
                .mapToLong(Long::parseLong)
                .findFirst();
    }

    /** The soft limit in a line of {@code /proc/self/limits}; empty when there is none. */
    OptionalLong limit(String name) {
        return lines("proc/self/limits").stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).strip().split("\\s+", 2)[0])
                .filter(limit -> limit.matches("\\d{1,18}"))
                .mapToLong(Long::parseLong)
                .findFirst();
    }
}
