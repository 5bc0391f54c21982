package io.rdmarpc.docs.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Files, headings and classes that pages name exist")
class LinksTest {

    private static final List<MarkdownPage> PAGES = MarkdownPage.all();
    private static final Set<String> OF_THE_JDK = Set.of("ServiceLoader", "CompletableFuture", "IllegalStateException");
    private static final Map<String, MarkdownPage> BY_NAME =
            PAGES.stream().collect(Collectors.toMap(MarkdownPage::name, Function.identity()));

    static Stream<String> pages() {
        return PAGES.stream().map(MarkdownPage::name);
    }

    @ParameterizedTest
    @MethodSource("pages")
    void whenAPageLinksThenTheFileAndItsHeadingExist(String name) {
        MarkdownPage page = BY_NAME.get(name);
        assertThat(page.links()).allSatisfy(link -> {
            if (link.contains("://")) {
                assertThat(URI.create(link)).hasScheme("https").hasNoUserInfo();
            } else {
                assertResolves(page, link);
            }
        });
    }

    private static void assertResolves(MarkdownPage page, String link) {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty()
                ? page.path()
                : page.path().resolveSibling(parts[0]).normalize();
        assertThat(target).exists().startsWith(MarkdownPage.ROOT);
        if (parts.length > 1) {
            MarkdownPage linked =
                    BY_NAME.get(MarkdownPage.ROOT.relativize(target).toString());
            assertThat(linked).as(link).isNotNull();
            assertThat(linked.anchors()).as(link).contains(parts[1]);
        }
    }

    /** A README.md is the index of its directory and of directories below it without a README.md of their own. */
    @Test
    void whenThereIsAPageThenItsIndexLinksIt() {
        Path docs = MarkdownPage.ROOT.resolve("docs");
        List<Path> pages = PAGES.stream()
                .map(MarkdownPage::path)
                .filter(path -> path.startsWith(docs) && !path.equals(docs.resolve("README.md")))
                .toList();

        assertThat(pages).hasSizeGreaterThan(20).allSatisfy(path -> {
            Path index = indexOf(path);
            assertThat(linksOf(index)).as("%s links %s", index, path).contains(path);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"docs/lab/README.md", "docs/explanation/decisions/README.md"})
    void whenADirectoryHasManyPagesThenItHasItsOwnIndex(String index) {
        assertThat(BY_NAME).containsKey(index);
    }

    private static Path indexOf(Path page) {
        Path directory = page.getParent();
        if (page.endsWith("README.md")) {
            directory = directory.getParent();
        }
        while (!Files.exists(directory.resolve("README.md"))) {
            directory = directory.getParent();
        }
        return directory.resolve("README.md");
    }

    private static List<Path> linksOf(Path index) {
        MarkdownPage page = BY_NAME.get(MarkdownPage.ROOT.relativize(index).toString());
        return page.links().stream()
                .filter(link -> !link.contains("://"))
                .map(link -> index.resolveSibling(link.split("#", 2)[0]).normalize())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ARCHITECTURE.md", "CONTRIBUTING.md", "docs/explanation/software-rnic.md"})
    void whenAPageNamesClassesThenTheyExist(String name) throws IOException {
        JavaSources sources = JavaSources.read();
        MarkdownPage page = BY_NAME.get(name);
        List<MatchResult> classes = page.classNames().stream()
                .filter(found -> !OF_THE_JDK.contains(found.group(1)))
                .toList();
        assertThat(classes).isNotEmpty().allSatisfy(found -> {
            assertThat(sources.declares(found.group(1))).as(found.group()).isTrue();
            assertThat(found.group(2) == null || sources.mentions(found.group(1), found.group(2)))
                    .as(found.group())
                    .isTrue();
        });
    }
}
