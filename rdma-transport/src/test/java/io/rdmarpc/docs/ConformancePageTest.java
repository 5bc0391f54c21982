package io.rdmarpc.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@code docs/conformance.md} says what the tests say. */
@DisplayName("docs/conformance.md")
class ConformancePageTest {

    private static final Path ROOT = Path.of("..");

    @Test
    @DisplayName("lists the tests as they are; make it again when this fails")
    void shouldListTheTests() throws IOException {
        String committed = Files.readString(ROOT.resolve("docs/conformance.md"));
        assertThat(ConformancePage.withoutResults(committed))
                .as("run: java rdma-transport/src/test/java/io/rdmarpc/docs/ConformancePage.java > docs/conformance.md")
                .isEqualTo(ConformancePage.of(ROOT, false));
    }

    @Test
    @DisplayName("leaves no id without a test or a reason")
    void shouldLeaveNoIdOut() throws IOException {
        assertThat(ConformancePage.missing(ROOT)).isEmpty();
    }
}
