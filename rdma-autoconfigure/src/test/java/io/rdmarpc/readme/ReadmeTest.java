package io.rdmarpc.readme;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.integration.app.TestApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/** The README's example works. */
@Timeout(60)
class ReadmeTest {

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
}
