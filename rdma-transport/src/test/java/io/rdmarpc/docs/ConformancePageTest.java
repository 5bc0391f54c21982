package io.rdmarpc.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The conformance page")
class ConformancePageTest {

    private static final Path ROOT = Path.of("..");

    @TempDir
    private Path root;

    /** A test class in a repository of its own; a name is put where the page looks for one, which must not be in this file. */
    private void source(String name, String text) throws IOException {
        Path file = root.resolve("module/src/test/java/io/rdmarpc/rpc/runtime/" + name + ".java");
        Files.createDirectories(file.getParent());
        Files.writeString(file, text.replace("@Named", "@DisplayName"));
    }

    private String tierOf(String words) throws IOException {
        String row = ConformancePage.of(root)
                .lines()
                .filter(line -> line.contains(words))
                .findFirst()
                .orElseThrow();
        String[] columns = row.split("\\|", -1);
        return columns[columns.length - 3].strip();
    }

    @Test
    void shouldLeaveNoIdWithoutATestOrAReason() throws IOException {
        assertThat(ConformancePage.missing(ROOT)).isEmpty();
    }

    @Test
    void shouldListEachIdOfThisRepository() throws IOException {
        assertThat(ConformancePage.of(ROOT))
                .contains("| **CP-01** |", "| **ME-03** |")
                .doesNotContain("no test yet");
    }

    @Test
    void shouldWriteTheTierOfAClassAndOfAMethod() throws IOException {
        source("PlainTest", """
                import a.B;

                class PlainTest {
                    @Test
                    @Named("SM-01 one call")
                    void shouldCall() {}

                    @Test
                    @Tag("size")
                    @Named("SM-02 calls again and again")
                    void shouldCallOften() {}
                }
                """);
        source("PeerTest", """
                import a.B;

                /** Two processes. */
                @Tag("processes")
                class PeerTest {
                    @Test
                    @Named("FL-01 a kill")
                    void shouldKill() {}
                }
                """);
        source("NicDeviceTest", """
                import a.B;

                @Tag("rdma-device")
                class NicDeviceTest {
                    @Test
                    @Named("FL-02 a return")
                    void shouldReturn() {}
                }
                """);

        assertThat(tierOf("one call")).isEqualTo("fast");
        assertThat(tierOf("calls again and again")).isEqualTo("size");
        assertThat(tierOf("a kill")).isEqualTo("processes");
        assertThat(tierOf("a return")).isEqualTo("VM");
    }
}
