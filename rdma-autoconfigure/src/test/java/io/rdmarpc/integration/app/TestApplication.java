package io.rdmarpc.integration.app;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** Applications as users write them, on the loopback interface. */
public final class TestApplication {

    private TestApplication() {}

    /** Calls only. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    public static class Client {}

    /** Offers {@link Orders}. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    public static class Server {

        @Bean
        Orders orders() {
            return new OrdersImpl();
        }
    }

    public static ConfigurableApplicationContext run(Class<?> application, String... properties) {
        return run(application, WebApplicationType.NONE, properties);
    }

    public static ConfigurableApplicationContext run(
            Class<?> application, WebApplicationType web, String... properties) {
        return new SpringApplicationBuilder(application)
                .web(web)
                .registerShutdownHook(false)
                .properties(
                        "rdma.provider=soft",
                        "rdma.soft.addresses=127.0.0.1",
                        "rdma.server.address=127.0.0.1",
                        "rdma.server.port=0",
                        "rdma.server.shutdown.grace-period=2s",
                        "rdma.memory.max-size=256MB",
                        "spring.main.banner-mode=off")
                .run(Stream.of(properties).map(each -> "--" + each).toArray(String[]::new));
    }

    /** Calls a server. */
    public static ConfigurableApplicationContext client(ConfigurableApplicationContext server, String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("rdma.client.targets.default.address=127.0.0.1:" + port(server));
        return run(Client.class, all.toArray(String[]::new));
    }

    public static int port(ConfigurableApplicationContext server) {
        return server.getEnvironment().getRequiredProperty("local.rdma.server.port", Integer.class);
    }
}
