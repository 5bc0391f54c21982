package io.rdmarpc.integration.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.service.client.routing.RdmaInstance;
import io.rdmarpc.service.client.routing.RdmaTargetResolver;
import io.rdmarpc.service.memory.RemoteMemoryTemplate;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.util.unit.DataSize;

@Timeout(120)
@DisplayName("The memory of a target whose instances a registry knows")
class RegistryTargetTest {

    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final DataSize SIZE = DataSize.ofKilobytes(4);

    /** Says what the test wants. */
    static final class Registry implements RdmaTargetResolver {

        private Consumer<List<RdmaInstance>> listener = _ -> {};
        private List<RdmaInstance> known = List.of();

        @Override
        public boolean supports(String address) {
            return address.startsWith("store:");
        }

        @Override
        public synchronized Watch watch(String address, Consumer<List<RdmaInstance>> told) {
            listener = told;
            told.accept(known);
            return () -> {};
        }

        synchronized void says(ConfigurableApplicationContext server) {
            int port = TestApplication.port(server);
            known = List.of(new RdmaInstance(
                    "at " + port, new InetSocketAddress(InetAddress.getLoopbackAddress(), port), Map.of()));
            listener.accept(known);
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Client {

        @Bean
        Registry registry() {
            return new Registry();
        }
    }

    private static ConfigurableApplicationContext server() {
        return TestApplication.run(
                FrameApplication.Client.class, "rdma.remote-memory.enabled=true", "rdma.remote-memory.listen=true");
    }

    @Test
    @DisplayName("is that of an instance, and that of another one when it is gone")
    void whenAnInstanceGoesThenTheMemoryIsAnothers() {
        try (ConfigurableApplicationContext first = server();
                ConfigurableApplicationContext second = server();
                ConfigurableApplicationContext client = TestApplication.run(
                        Client.class,
                        "rdma.remote-memory.enabled=true",
                        "rdma.client.targets.store.address=store:frames",
                        "rdma.client.balancing.probation=200ms")) {
            Registry registry = client.getBean(Registry.class);
            RemoteMemoryTemplate memory = client.getBean(RemoteMemoryTemplate.class);
            registry.says(first);
            RemoteRegion region = memory.allocate("store", SIZE, LEASE);
            memory.write(region, 0, new byte[] {1, 2});
            assertThat(memory.read(region, 1, 1)).containsExactly(2);
            registry.says(second);
            first.stop();
            Awaitility.await().until(() -> !region.isUsable());
            Awaitility.await().ignoreExceptions().untilAsserted(() -> {
                try (RemoteRegion again = memory.allocate("store", SIZE, LEASE)) {
                    assertThat(memory.getAndAdd(again, 0, 1)).isZero();
                }
            });
        }
    }
}
