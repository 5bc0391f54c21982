package io.rdmarpc.integration.memory;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.service.memory.RemoteMemoryTemplate;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.util.unit.DataSize;

/** Both sides of {@link Blobs}. */
final class MemoryApplication {

    private MemoryApplication() {}

    /** Calls, lends and borrows. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Client {}

    /** Offers the service. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Server {

        @Bean
        LocalRegion board(RemoteMemoryTemplate memory) {
            return memory.allocateLocal(DataSize.ofKilobytes(4));
        }

        @Bean
        BlobStore blobs(RemoteMemoryTemplate memory, LocalRegion board) {
            return new BlobStore(memory, board);
        }
    }

    static ConfigurableApplicationContext server(String... properties) {
        return run(Server.class, properties);
    }

    static ConfigurableApplicationContext client(ConfigurableApplicationContext server, String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("rdma.client.targets.default.address=127.0.0.1:" + TestApplication.port(server));
        return run(Client.class, all.toArray(String[]::new));
    }

    private static ConfigurableApplicationContext run(Class<?> application, String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("rdma.remote-memory.enabled=true");
        return TestApplication.run(application, all.toArray(String[]::new));
    }
}
