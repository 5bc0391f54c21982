package io.rdmarpc.docs.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Code on pages is compiled and tested")
class CodeBlocksTest {

    private static final Pattern DEPENDENCY = Pattern.compile(
            "<groupId>(.*?)</groupId>\\s*<artifactId>(.*?)</artifactId>(?:\\s*<version>(.*?)</version>)?");

    @Test
    void whenAPageShowsJavaThenASourceFileHasIt() throws IOException {
        JavaSources sources = JavaSources.read();

        assertThat(MarkdownPage.blocks("java"))
                .hasSizeGreaterThan(20)
                .allSatisfy(block -> assertThat(sources.contain(JavaSnippet.of(block.text())))
                        .as("%s shows code that no source file has:%n%s", block.page(), block.text())
                        .isTrue());
    }

    @Test
    void whenAPageUsesAClassOfThisProjectThenItShowsTheImport() throws IOException {
        JavaSources sources = JavaSources.read();

        assertThat(MarkdownPage.all())
                .allSatisfy(page -> assertThat(sources.missingImports(page.javaSnippets()))
                        .as("imports that %s does not show", page.name())
                        .isEmpty());
    }

    @Test
    void whenAPageShowsADependencyThenItIsAModuleOfThisVersion() {
        assertThat(MarkdownPage.blocks("xml")).isNotEmpty().allSatisfy(block -> {
            List<MatchResult> dependencies =
                    DEPENDENCY.matcher(block.text()).results().toList();
            assertThat(dependencies).as(block.text()).isNotEmpty();
            assertThat(dependencies).allSatisfy(CodeBlocksTest::assertIsOurs);
        });
    }

    private static void assertIsOurs(MatchResult dependency) throws IOException {
        if (dependency.group(1).equals("io.rdmarpc")) {
            String pom = Files.readString(
                    MarkdownPage.ROOT.resolve(dependency.group(2)).resolve("pom.xml"));
            assertThat(pom).contains("<version>" + dependency.group(3) + "</version>");
        }
    }
}
