package io.rdmarpc.docs.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code docs/lab/full-check.md} lists the sections of {@code ./full-check}, and all existing reports. */
class FullCheckPageTest {

    private static final Pattern SECTIONS = Pattern.compile("^readonly SECTIONS=\\(([^)]*)\\)$", Pattern.MULTILINE);
    private static final Pattern ROW = Pattern.compile("^\\| `([a-z-]+)` \\|", Pattern.MULTILINE);

    private final MarkdownPage page = MarkdownPage.of("docs/lab/full-check.md");

    @Test
    void shouldHaveARowForEachSection() throws IOException {
        Matcher sections = SECTIONS.matcher(Files.readString(MarkdownPage.ROOT.resolve("full-check")));

        assertThat(sections.find()).isTrue();
        assertThat(rows()).containsExactly(sections.group(1).split(" ", -1));
    }

    @Test
    void whenASectionHasAReportThenItsRowLinksIt() throws IOException {
        assertThat(page.links()).containsExactlyInAnyOrderElementsOf(reports());
    }

    private List<String> rows() {
        return ROW.matcher(page.text()).results().map(row -> row.group(1)).toList();
    }

    private static List<String> reports() throws IOException {
        try (Stream<Path> files = Files.list(MarkdownPage.ROOT.resolve("docs/lab/full-check"))) {
            return files.map(file -> "full-check/" + file.getFileName()).toList();
        }
    }
}
