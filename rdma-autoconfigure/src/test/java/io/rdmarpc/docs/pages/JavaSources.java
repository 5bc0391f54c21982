package io.rdmarpc.docs.pages;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The sources of all modules, tests included, without white space, because the formatter breaks lines where pages do
 * not.
 */
record JavaSources(Map<Path, String> files) {

    static JavaSources read() throws IOException {
        Map<Path, String> files = new LinkedHashMap<>();
        for (String module : List.of(
                "rdma-annotations",
                "rdma-transport",
                "rdma-rpc-cli",
                "rdma-autoconfigure",
                "demo-app",
                "benchmarks",
                "rdma-spring-boot-starter",
                "stress")) {
            Path sources = MarkdownPage.ROOT.resolve(module).resolve("src");
            if (Files.isDirectory(sources)) {
                try (Stream<Path> found = Files.walk(sources)) {
                    found.filter(file -> file.toString().endsWith(".java"))
                            .forEach(file -> files.put(file, compact(file)));
                }
            }
        }
        return new JavaSources(files);
    }

    private static String compact(Path file) {
        try {
            return withoutSpace(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String withoutSpace(String text) {
        return text.replaceAll("\\s+", "");
    }

    boolean contain(String snippet) {
        String wanted = withoutSpace(snippet);
        return files.values().stream().anyMatch(source -> source.contains(wanted));
    }

    boolean declares(String type) {
        return files.keySet().stream()
                        .anyMatch(file -> file.getFileName().toString().equals(type + ".java"))
                || isNestedType(type);
    }

    /** White space is gone, so the keyword in front and what follows the name delimit it. */
    private boolean isNestedType(String type) {
        Pattern declaration = Pattern.compile("(?:class|record|enum|interface)" + Pattern.quote(type)
                + "(?:[<({]|extends[A-Z]|implements[A-Z]|permits[A-Z])");
        return files.values().stream()
                .anyMatch(source -> declaration.matcher(source).find());
    }

    /** Returns whether the file of a type contains this word. */
    boolean mentions(String type, String member) {
        return files.entrySet().stream()
                .filter(file -> file.getKey().getFileName().toString().equals(type + ".java"))
                .anyMatch(file -> file.getValue().contains(member));
    }
}
