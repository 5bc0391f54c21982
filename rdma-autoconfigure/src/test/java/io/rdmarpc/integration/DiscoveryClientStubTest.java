package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.TestApplication;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.client.DefaultServiceInstance;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.discovery.DiscoveryClient;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

@Timeout(60)
@DisplayName("A registry that only has a DiscoveryClient and the metadata of instances, such as Eureka")
class DiscoveryClientStubTest {

    /** Says what the test wants; not more than any registry of Spring Cloud can. */
    static final class Registry implements DiscoveryClient {

        private final List<ServiceInstance> instances = new CopyOnWriteArrayList<>();

        @Override
        public String description() {
            return "a registry of the test";
        }

        @Override
        public List<ServiceInstance> getInstances(String service) {
            return service.equals("orders-app") ? List.copyOf(instances) : List.of();
        }

        @Override
        public List<String> getServices() {
            return List.of("orders-app");
        }

        /** As eureka.instance.metadata-map.[rdma.control-port] of its server puts it there. */
        void register(String id, ConfigurableApplicationContext server) {
            instances.add(new DefaultServiceInstance(
                    id,
                    "orders-app",
                    "127.0.0.1",
                    8080,
                    false,
                    Map.of("rdma.control-port", String.valueOf(TestApplication.port(server)))));
        }

        void remove(String id) {
            instances.removeIf(instance -> id.equals(instance.getInstanceId()));
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

    @Test
    void whenInstancesComeAndGoThenCallsFollow() {
        try (ConfigurableApplicationContext first = TestApplication.run(TestApplication.Server.class);
                ConfigurableApplicationContext second = TestApplication.run(TestApplication.Server.class);
                ConfigurableApplicationContext client = TestApplication.run(
                        Client.class,
                        "rdma.client.targets.default.address=discovery:orders-app",
                        "rdma.client.discovery.refresh-interval=100ms",
                        "rdma.client.timeout=20s")) {
            Registry registry = client.getBean(Registry.class);
            Orders orders = client.getBean(Orders.class);
            registry.register("one", first);
            assertThat(orders.add(1, 2)).isEqualTo(3);
            registry.register("two", second);
            registry.remove("one");
            first.stop();

            Awaitility.await().ignoreExceptions().until(() -> orders.add(20, 22) == 42);
            assertThat(orders.add(1, 2)).isEqualTo(3);
        }
    }
}
