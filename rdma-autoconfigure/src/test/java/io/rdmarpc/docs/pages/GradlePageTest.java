package io.rdmarpc.docs.pages;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.docs.pages.MarkdownPage.Block;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No Gradle runs here, so the build files are compared with the POMs and with the tutorial for Maven. */
@DisplayName("The build files of docs/tutorial/gradle.md")
class GradlePageTest {

    private static final Pattern OWN = Pattern.compile("io\\.rdmarpc:([\\w-]+)(?::([^\"]+))?");
    private static final Pattern BOOT =
            Pattern.compile("id\\(\"org\\.springframework\\.boot\"\\) version \"([^\"]+)\"");
    private static final Pattern JAVA = Pattern.compile("JavaLanguageVersion\\.of\\((\\d+)\\)");
    private static final Pattern MAIN_CLASS = Pattern.compile("mainClass = \"([^\"]+)\"");
    private static final Pattern INCLUDE = Pattern.compile("include\\((.*)\\)");
    private static final Pattern ARTIFACT = Pattern.compile("(?:-pl |,)([\\w-]+)");
    private static final Pattern JAR = Pattern.compile("-jar (\\w+)/build/libs/(\\w+)-(\\S+)\\.jar");
    private static final Set<String> PROJECTS = Set.of("contract", "server", "client");

    private final MarkdownPage page = MarkdownPage.of("docs/tutorial/gradle.md");
    private final MarkdownPage maven = MarkdownPage.of("docs/tutorial/two-applications.md");

    private List<String> files() {
        return page.blocks().stream()
                .filter(block -> block.language().equals("kotlin"))
                .map(Block::text)
                .toList();
    }

    private String settings() {
        return files().getFirst();
    }

    private List<String> builds() {
        return files().subList(1, files().size());
    }

    private static String property(String name) throws IOException {
        return first(Pattern.compile("<" + name + ">([^<]+)</"), read("pom.xml"));
    }

    private static String read(String file) throws IOException {
        return Files.readString(MarkdownPage.ROOT.resolve(file));
    }

    private static String first(Pattern pattern, String text) {
        return all(pattern, text).getFirst();
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(found -> found.group(1)).toList();
    }

    @Test
    void shouldBeOneForEachProject() {
        assertThat(builds()).hasSize(PROJECTS.size());
        assertThat(first(INCLUDE, settings()).replace("\"", "").split(", ", -1))
                .containsExactlyInAnyOrder(PROJECTS.toArray(String[]::new));
        assertThat(PROJECTS)
                .allSatisfy(project -> assertThat(page.text()).contains("`" + project + "/build.gradle.kts`"));
    }

    @Test
    void shouldUseTheVersionsOfThePom() throws IOException {
        String version = first(Pattern.compile("^  <version>([^<]+)</version>", Pattern.MULTILINE), read("pom.xml"));

        assertThat(first(BOOT, settings())).isEqualTo(property("spring-boot.version"));
        assertThat(builds()).allSatisfy(build -> {
            assertThat(first(JAVA, build)).isEqualTo(property("maven.compiler.release"));
            assertThat(OWN.matcher(build).results().filter(found -> found.group(2) != null))
                    .hasSize(1)
                    .allSatisfy(found -> {
                        assertThat(found.group(1)).isEqualTo("rdma-rpc-bom");
                        assertThat(found.group(2)).isEqualTo(version);
                    });
        });
    }

    @Test
    @DisplayName("name artifacts that are modules, and versions that the BOM manages")
    void shouldNameModules() throws IOException {
        String bom = read("rdma-rpc-bom/pom.xml");
        Set<String> artifacts =
                builds().stream().flatMap(build -> all(OWN, build).stream()).collect(Collectors.toSet());

        assertThat(artifacts)
                .containsExactlyInAnyOrder("rdma-rpc-bom", "rdma-annotations", "rdma-spring-boot-starter")
                .allSatisfy(artifact -> {
                    assertThat(read("pom.xml")).contains("<module>" + artifact + "</module>");
                    assertThat(bom).contains("<artifactId>" + artifact + "</artifactId>");
                });
        String install = page.indentedCommands().getFirst();
        assertThat(all(ARTIFACT, install)).containsExactlyInAnyOrder("rdma-spring-boot-starter", "rdma-rpc-bom");
    }

    @Test
    void shouldStartTheClassesOfTheTutorialForMaven() {
        List<String> classes = builds().stream()
                .flatMap(build -> all(MAIN_CLASS, build).stream())
                .toList();

        assertThat(classes).hasSize(2).allSatisfy(name -> {
            String file = "src/main/java/" + name.replace('.', '/') + ".java";
            assertThat(maven.text()).contains(file);
            assertThat(Path.of("src/test/java").resolve(name.replace('.', '/') + ".java"))
                    .exists();
        });
    }

    @Test
    @DisplayName("permit native access to the jar and to bootRun, as the POM of the tutorial does")
    void shouldPermitNativeAccess() {
        assertThat(maven.text()).contains("<Enable-Native-Access>ALL-UNNAMED</Enable-Native-Access>");
        assertThat(builds().stream().filter(build -> build.contains("mainClass")))
                .allSatisfy(build -> assertThat(build)
                        .contains("attributes(\"Enable-Native-Access\" to \"ALL-UNNAMED\")")
                        .contains("jvmArgs(\"--enable-native-access=ALL-UNNAMED\")"));
    }

    @Test
    void shouldDescribeTheJarsThatTheyBuild() {
        List<String> jars = page.indentedCommands().stream()
                .filter(command -> JAR.matcher(command).find())
                .toList();

        assertThat(jars).hasSize(2).allSatisfy(command -> {
            var jar = JAR.matcher(command);
            assertThat(jar.find()).isTrue();
            assertThat(jar.group(2)).isEqualTo(jar.group(1)).isIn(PROJECTS);
            assertThat(builds()).allSatisfy(build -> assertThat(build).contains("version = \"" + jar.group(3) + "\""));
        });
    }

    @ParameterizedTest
    @ValueSource(chars = {'{', '(', '"', '`'})
    void shouldCloseWhatTheyOpen(char open) {
        assertThat(files()).allSatisfy(file -> {
            long opened = file.chars().filter(c -> c == open).count();
            long closed = file.chars().filter(c -> c == closing(open)).count();
            assertThat(open == closing(open) ? opened % 2 : opened - closed).isZero();
        });
    }

    private static char closing(char open) {
        return switch (open) {
            case '{' -> '}';
            case '(' -> ')';
            default -> open;
        };
    }

    @Test
    @DisplayName("are described as not run, on the page and in the status")
    void shouldBeDescribedAsNotRun() throws IOException {
        assertThat(page.text()).contains("**These build files were not run.**");
        assertThat(read("docs/status.md")).contains("tutorial/gradle.md");
    }
}
