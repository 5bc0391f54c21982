package io.rdmarpc.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The example of {@code docs/verbs.md} is this package's code, and it works. */
@DisplayName("The example of docs/verbs.md")
@Timeout(60)
class HelloVerbsTest {

    @Test
    @DisplayName("sends a datagram over the software RNIC")
    void sends() {
        String received = HelloVerbs.greet("soft", Map.of("soft.addresses", "127.0.0.1", "soft.port", "0"));

        assertThat(received).isEqualTo("hello, verbs");
    }

    @Test
    @DisplayName("is printed as it is")
    void printed() throws IOException {
        String source = Files.readString(Path.of("src/test/java/io/rdmarpc/docs/HelloVerbs.java"));
        String declaration = source.substring(source.indexOf("final class HelloVerbs"));

        assertThat(Files.readString(Path.of("../docs/verbs.md"))).contains("```java\n" + declaration + "```");
    }
}
