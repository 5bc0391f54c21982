package io.rdmarpc.integration.memory;

import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.service.memory.RemoteMemoryTemplate;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** Both sides of {@link Frames}. */
final class FrameApplication {

    private FrameApplication() {}

    /** Calls. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Client {}

    /** Offers the service. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Server {

        @Bean
        Frames frames(RemoteMemoryTemplate memory) {
            return new FrameStore(memory);
        }
    }

    /** Offers it without memory of its own. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class ServerWithoutMemory {

        @Bean
        Frames frames() {
            return new FrameStore(null);
        }
    }

    static ConfigurableApplicationContext client(String address, String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("rdma.client.targets.default.address=" + address);
        return TestApplication.run(Client.class, all.toArray(String[]::new));
    }
}
