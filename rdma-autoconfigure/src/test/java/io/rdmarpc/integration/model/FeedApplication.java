package io.rdmarpc.integration.model;

import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.service.RdmaClientInterceptor;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** Both sides of {@link Feed}. */
public final class FeedApplication {

    private FeedApplication() {}

    /** Calls; says for whom. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    public static class Client {

        @Bean
        RdmaClientInterceptor tenant() {
            return (call, next) -> {
                call.metadata().put("tenant", "Zürich");
                return next.proceed();
            };
        }
    }

    /** Offers the feed. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    public static class Server {

        @Bean
        FeedBean feed() {
            return new FeedBean();
        }
    }

    public static ConfigurableApplicationContext server() {
        return TestApplication.run(Server.class);
    }

    public static ConfigurableApplicationContext client(ConfigurableApplicationContext server) {
        return client("127.0.0.1:" + TestApplication.port(server));
    }

    public static ConfigurableApplicationContext client(String address, String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("rdma.client.targets.default.address=" + address);
        return TestApplication.run(Client.class, all.toArray(String[]::new));
    }
}
