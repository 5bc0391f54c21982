package io.rdmarpc.docs.pages;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A page of the repository, parsed as far as tests need it. */
record MarkdownPage(Path path, String text) {

    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Set<String> NOT_OURS = Set.of("target", ".git", "node_modules", ".idea");
    private static final Pattern FENCE = Pattern.compile("^```(\\w*)\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern INLINE_CODE = Pattern.compile("`[^`\n]*`");
    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)\\s]+)\\)");
    private static final Pattern CLASS_NAME =
            Pattern.compile("`([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)*)(?:\\.([a-z]\\w*))?`");
    private static final Pattern VARIABLES = Pattern.compile("^([A-Z_]+=(\"[^\"]*\"|\\S+) )+");
    private static final Pattern PROGRAM = Pattern.compile("[a-z./][\\w./-]*( |$)");
    private static final Pattern INDENTED = Pattern.compile("(?<=\n\n)((?: {4}.*\n)+)");
    private static final Pattern HEADING = Pattern.compile("^#{1,6} +(.*)$", Pattern.MULTILINE);

    /** Code between two fences. */
    record Block(String page, String language, String text) {}

    static List<MarkdownPage> all() {
        List<MarkdownPage> pages = new ArrayList<>();
        try {
            Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {

                @Override
                public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                    return NOT_OURS.contains(directory.getFileName().toString())
                            ? FileVisitResult.SKIP_SUBTREE
                            : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    if (file.toString().endsWith(".md")) {
                        pages.add(new MarkdownPage(file, Files.readString(file)));
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return List.copyOf(pages);
    }

    static MarkdownPage of(String name) {
        Path path = ROOT.resolve(name).normalize();
        return all().stream()
                .filter(page -> page.path().equals(path))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no page " + name));
    }

    static List<Block> blocks(String language) {
        return all().stream()
                .flatMap(page -> page.blocks().stream())
                .filter(block -> block.language().equals(language))
                .toList();
    }

    String name() {
        return ROOT.relativize(path).toString();
    }

    List<Block> blocks() {
        return FENCE.matcher(text)
                .results()
                .map(found -> new Block(name(), found.group(1), found.group(2)))
                .toList();
    }

    List<JavaSnippet> javaSnippets() {
        return blocks().stream()
                .filter(block -> block.language().equals("java"))
                .map(block -> JavaSnippet.of(block.text()))
                .toList();
    }

    /** Returns the text without code. */
    String prose() {
        String withoutBlocks = FENCE.matcher(text).replaceAll("");
        return INLINE_CODE.matcher(withoutBlocks).replaceAll("");
    }

    List<String> links() {
        return LINK.matcher(prose()).results().map(found -> found.group(1)).toList();
    }

    /** Returns the anchors of the headings, as GitHub derives them for links after {@code #}. */
    Set<String> anchors() {
        return HEADING.matcher(FENCE.matcher(text).replaceAll(""))
                .results()
                .map(found -> anchor(found.group(1)))
                .collect(Collectors.toSet());
    }

    private static String anchor(String heading) {
        return heading.strip()
                .toLowerCase(Locale.ROOT)
                .replaceAll("\\[([^\\]]*)]\\([^)]*\\)", "$1")
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
    }

    /** Returns the commands of the page's shell blocks, with continued lines joined and comments removed. */
    List<String> commands() {
        return blocks().stream()
                .filter(block -> block.language().equals("shell"))
                .flatMap(block -> block.text().replace("\\\n", " ").lines())
                .map(MarkdownPage::command)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .toList();
    }

    private static String command(String line) {
        return line.replaceAll("\\s+#\\s.*", "").replaceAll("\\s+", " ").strip();
    }

    /** Returns the lines indented by four spaces in the same form: commands, or their synopsis. */
    List<String> indentedCommands() {
        return INDENTED.matcher(FENCE.matcher(text).replaceAll(""))
                .results()
                .flatMap(found -> found.group(1).replaceAll("\\\\\n|&&\n", " ").lines())
                .map(line -> VARIABLES.matcher(command(line)).replaceFirst(""))
                .filter(line -> PROGRAM.matcher(line).lookingAt())
                .toList();
    }

    /** Returns the names of classes in code quotes, with the member that follows, if any. */
    List<MatchResult> classNames() {
        return CLASS_NAME.matcher(FENCE.matcher(text).replaceAll("")).results().toList();
    }
}
