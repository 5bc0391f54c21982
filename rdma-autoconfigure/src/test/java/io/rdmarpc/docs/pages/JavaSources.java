package io.rdmarpc.docs.pages;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The sources of all modules, tests included, without white space, because the formatter breaks lines where pages do
 * not.
 */
record JavaSources(Map<Path, String> files) {

    /** Where classes are that users may import. */
    private static final Pattern PUBLISHED =
            Pattern.compile("rdma-(?:annotations|transport|autoconfigure)/src/main/java/(.*)\\.java$");

    private static final Pattern PACKAGE = Pattern.compile("package([\\w.]+);");

    static JavaSources read() throws IOException {
        Map<Path, String> files = new LinkedHashMap<>();
        for (String module : List.of(
                "rdma-annotations",
                "rdma-transport",
                "rdma-rpc-cli",
                "rdma-rpc-maven-plugin",
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

    static String withoutSpace(String text) {
        return text.replaceAll("\\s+", "");
    }

    /** Returns whether a file has this code and can use each class that the code imports. */
    boolean contain(JavaSnippet snippet) {
        return !filesWith(snippet).isEmpty();
    }

    /**
     * Returns the classes that the snippets of a page use by their simple names, and that neither the same nor an
     * earlier snippet imports. Only classes of the published modules count.
     */
    List<String> missingImports(List<JavaSnippet> snippets) {
        List<String> published = published();
        List<String> imported = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        for (JavaSnippet snippet : snippets) {
            imported.addAll(snippet.imports());
            List<String> usable = filesWith(snippet);
            published.stream()
                    .filter(name -> snippet.uses(name.substring(name.lastIndexOf('.') + 1)))
                    .filter(name -> usable.stream().anyMatch(source -> canUse(source, name, published)))
                    .filter(name -> !imported.contains(name) && !missing.contains(name))
                    .forEach(missing::add);
        }
        return missing;
    }

    private List<String> filesWith(JavaSnippet snippet) {
        String wanted = withoutSpace(snippet.body());
        List<String> published = published();
        return files.values().stream()
                .filter(source -> source.contains(wanted))
                .filter(source -> snippet.imports().stream().allMatch(name -> canUse(source, name, published)))
                .toList();
    }

    /** The compiler has checked the imports of the file. A class of the file's own package needs none. */
    private static boolean canUse(String source, String name, List<String> published) {
        Matcher ownPackage = PACKAGE.matcher(source);
        return source.contains("import" + name + ";")
                || (published.contains(name)
                        && ownPackage.find()
                        && name.substring(0, name.lastIndexOf('.')).equals(ownPackage.group(1)));
    }

    private List<String> published() {
        return files.keySet().stream()
                .flatMap(file -> PUBLISHED.matcher(file.toString()).results())
                .map(found -> found.group(1).replace('/', '.'))
                .filter(name -> name.indexOf('.') > 0)
                .toList();
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
