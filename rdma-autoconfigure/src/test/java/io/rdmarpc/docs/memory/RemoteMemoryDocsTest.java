package io.rdmarpc.docs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.service.memory.RdmaTemplate;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** The page on remote memory shows code that compiles and runs. */
@Timeout(60)
class RemoteMemoryDocsTest {

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Server {

        @Bean
        Scans.Scanner scanner(RdmaTemplate memory) {
            return new Scans.Scanner(memory);
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Client {}

    @ParameterizedTest
    @ValueSource(strings = {"service", "server", "client"})
    void thePageShowsTheCodeThatIsCompiled(String part) throws IOException {
        String source = Files.readString(Path.of("src/test/java/io/rdmarpc/docs/memory/Scans.java"));
        String begin = "    // begin " + part + "\n";
        String code = source.substring(source.indexOf(begin) + begin.length(), source.indexOf("    // end " + part))
                .stripTrailing()
                .stripIndent()
                .concat("\n");
        assertThat(Files.readString(Path.of("../docs/remote-memory.md"))).contains("```java\n" + code + "```");
    }

    @Test
    void theCodeDoesWhatThePageSays() {
        try (ConfigurableApplicationContext server =
                        TestApplication.run(Server.class, "rdma.remote-memory.enabled=true");
                ConfigurableApplicationContext client = TestApplication.run(
                        Client.class,
                        "rdma.remote-memory.enabled=true",
                        "rdma.client.targets.default.address=127.0.0.1:" + TestApplication.port(server));
                Arena arena = Arena.ofShared()) {
            RdmaTemplate memory = client.getBean(RdmaTemplate.class);
            MemorySegment scan = arena.allocate(100_000);
            scan.set(ValueLayout.JAVA_BYTE, 77_777, (byte) 200);
            assertThat(Scans.send(memory, client.getBean(Scans.ScanService.class), scan))
                    .isEqualTo(200);
            assertThat(Scans.count(memory)).isZero();
        }
    }
}
