package io.rdmarpc.docs.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The published modules")
class PublishedModulesTest {

    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");
    private static final Pattern MANAGED =
            Pattern.compile("<groupId>io\\.rdmarpc</groupId>\\s*<artifactId>([^<]+)</artifactId>");
    private static final Pattern NAME = Pattern.compile("<name>([^<]+)</name>");
    private static final Pattern DESCRIPTION = Pattern.compile("<description>[^<]{20,}</description>");
    private static final String BOM = "rdma-rpc-bom";

    private static String read(String file) throws IOException {
        return Files.readString(MarkdownPage.ROOT.resolve(file));
    }

    private static List<String> found(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList();
    }

    private static Set<String> modules() throws IOException {
        Set<String> modules = new LinkedHashSet<>();
        for (String module : found(MODULE, read("pom.xml"))) {
            modules.add(module);
        }
        return modules;
    }

    private static Set<String> published() throws IOException {
        Set<String> published = new LinkedHashSet<>();
        for (String module : modules()) {
            if (!read(module + "/pom.xml").contains("<maven.deploy.skip>true</maven.deploy.skip>")) {
                published.add(module);
            }
        }
        return published;
    }

    @Test
    void shouldNotIncludeDemoAndMeasurements() throws IOException {
        assertThat(modules()).contains("demo-app", "benchmarks", "stress");
        assertThat(published()).contains("rdma-transport", BOM).doesNotContain("demo-app", "benchmarks", "stress");
    }

    /** Returns whether applications depend on a module. Maven ignores a BOM for the versions of plugins. */
    private static boolean isDependency(String module) {
        return !module.equals(BOM) && !module.endsWith("-maven-plugin");
    }

    @Test
    @DisplayName("are in the BOM, except plugins")
    void shouldBeInTheBom() throws IOException {
        String bom = read(BOM + "/pom.xml");
        String management = bom.substring(bom.indexOf("<dependencyManagement>"));

        assertThat(found(MANAGED, management))
                .containsExactlyInAnyOrderElementsOf(published().stream()
                        .filter(PublishedModulesTest::isDependency)
                        .collect(Collectors.toSet()));
    }

    @Test
    void shouldHaveTheirNameAndADescription() throws IOException {
        for (String module : published()) {
            String pom = read(module + "/pom.xml");
            assertThat(found(NAME, pom)).as(module).contains(module);
            assertThat(pom).as(module).containsPattern(DESCRIPTION);
        }
    }

    @Test
    @DisplayName("are in the check of releases and in the tables of the pages")
    void shouldBeInTheCheckAndInTheTables() throws IOException {
        String check = read("config/release-check");
        String releasing = read("RELEASING.md");
        String architecture = read("ARCHITECTURE.md");
        for (String module : published()) {
            assertThat(check).containsPattern("(?m)^readonly (JARS|POMS)=.*\\b" + module + "\\b");
            assertThat(releasing).contains("| `" + module + "` |");
            assertThat(architecture).containsPattern("\\| \\[" + module + "]\\(" + module + "\\) \\|.*\\| yes \\|");
        }
    }

    @Test
    @DisplayName("are built by the demo and the benchmarks if one of their sources changes")
    void shouldBeWatchedByScripts() throws IOException {
        for (String script : List.of("demo", "benchmarks/run")) {
            assertThat(read(script)).contains("rdma-annotations", "rdma-transport", "rdma-autoconfigure");
        }
        assertThat(Files.isExecutable(Path.of("..", "config", "release-check"))).isTrue();
    }
}
