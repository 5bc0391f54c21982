package io.rdmarpc.docs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.service.memory.RemoteMemoryTemplate;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** Runs the code of the page on remote memory. */
@Timeout(60)
class RemoteMemoryDocsTest {

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Server {

        @Bean
        Scans.Scanner scanner(RemoteMemoryTemplate memory) {
            return new Scans.Scanner(memory);
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Client {}

    @Test
    void shouldRunTheCodeOfThePage() {
        try (ConfigurableApplicationContext server =
                        TestApplication.run(Server.class, "rdma.remote-memory.enabled=true");
                ConfigurableApplicationContext client = TestApplication.run(
                        Client.class,
                        "rdma.remote-memory.enabled=true",
                        "rdma.client.targets.default.address=127.0.0.1:" + TestApplication.port(server));
                Arena arena = Arena.ofShared()) {
            RemoteMemoryTemplate memory = client.getBean(RemoteMemoryTemplate.class);
            MemorySegment scan = arena.allocate(100_000);
            scan.set(ValueLayout.JAVA_BYTE, 77_777, (byte) 200);
            assertThat(Scans.send(memory, client.getBean(Scans.ScanService.class), scan))
                    .isEqualTo(200);
            assertThat(Scans.invert(client.getBean(Scans.ScanService.class), scan))
                    .isEqualTo(255);
            assertThat(Scans.count(memory)).isZero();
        }
    }
}
