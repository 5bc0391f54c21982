package io.rdmarpc.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The pages show code that compiles. */
class SnippetsTest {

    @ParameterizedTest
    @CsvSource({"Carts, discovery.md", "HostsFile, discovery.md", "OwnNetwork, security.md"})
    void thePageShowsTheCodeThatIsCompiled(String type, String page) throws IOException {
        String source = Files.readString(Path.of("src/test/java/io/rdmarpc/docs", type + ".java"));
        String declaration = source.substring(source.indexOf("\n@") + 1);
        assertThat(Files.readString(Path.of("../docs", page))).contains("```java\n" + declaration + "```");
    }
}
