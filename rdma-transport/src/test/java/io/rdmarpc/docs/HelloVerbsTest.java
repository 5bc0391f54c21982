package io.rdmarpc.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The examples of {@code docs/how-to/use-verbs.md} are code that works. Tests of its package run the second one. */
@DisplayName("An example of docs/how-to/use-verbs.md")
@Timeout(60)
class HelloVerbsTest {

    @Test
    @DisplayName("sends a datagram over the software RNIC")
    void sends() {
        String received = HelloVerbs.greet("soft", Map.of("soft.addresses", "127.0.0.1", "soft.port", "0"));

        assertThat(received).isEqualTo("hello, verbs");
    }

    @ParameterizedTest
    @ValueSource(strings = {"docs/HelloVerbs", "async/AsyncExample"})
    @DisplayName("is printed as it is")
    void printed(String path) throws IOException {
        String source = Files.readString(Path.of("src/test/java/io/rdmarpc", path + ".java"));
        String declaration = source.substring(source.indexOf("final class "));

        assertThat(Files.readString(Path.of("../docs/how-to/use-verbs.md"))).contains("\n" + declaration + "```");
    }
}
