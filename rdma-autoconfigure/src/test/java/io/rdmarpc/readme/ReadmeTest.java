package io.rdmarpc.readme;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.integration.app.TestApplication;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/** The README's example is the code of this package, and it works. */
@Timeout(60)
class ReadmeTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(FriendlyGreeter.class)
    static class Server {}

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Welcome.class)
    static class Client {}

    @Test
    void theExampleGreets() {
        try (ConfigurableApplicationContext server = TestApplication.run(Server.class);
                ConfigurableApplicationContext client = TestApplication.run(
                        Client.class,
                        "rdma.client.targets.default.address=127.0.0.1:" + TestApplication.port(server))) {
            assertThat(client.getBean(Welcome.class).welcome("Ada")).isEqualTo("Hello, Ada");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Greeter", "FriendlyGreeter", "Welcome"})
    void theReadmeShowsTheCodeThatIsTested(String type) throws IOException {
        String source = Files.readString(Path.of("src/test/java/io/rdmarpc/readme", type + ".java"));
        String declaration = source.substring(source.indexOf("\n@") + 1);
        assertThat(Files.readString(ROOT.resolve("README.md"))).contains("```java\n" + declaration + "```");
    }
}
