package io.rdmarpc.integration.errors;

import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.service.CallOptions;
import java.util.Arrays;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Both sides of {@link Desk}, and the same at an HTTP edge. */
final class DeskApplication {

    private DeskApplication() {}

    /** Offers the desk. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Server {

        @Bean
        DeskBean desk() {
            return new DeskBean();
        }
    }

    /** Calls the desk for web clients. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Counter.class)
    static class Edge {}

    @RestController
    static class Counter {

        private final Desk desk;

        Counter(Desk desk) {
            this.desk = desk;
        }

        @GetMapping("/fail/{how}")
        String fail(@PathVariable String how) {
            return desk.fail(how);
        }

        @GetMapping("/debug/{how}")
        String debug(@PathVariable String how) {
            return CallOptions.debugDetails().call(() -> desk.fail(how));
        }

        @GetMapping("/book/{seats}")
        int book(@PathVariable int seats) {
            return desk.book(new Desk.Booking("", seats));
        }
    }

    static ConfigurableApplicationContext edge(String server, String... properties) {
        String[] all = Arrays.copyOf(properties, properties.length + 4);
        all[properties.length] = "rdma.client.targets.default.address=" + server;
        all[properties.length + 1] = "rdma.client.problem-details.enabled=true";
        all[properties.length + 2] = "server.port=0";
        all[properties.length + 3] = "server.address=127.0.0.1";
        return TestApplication.run(Edge.class, WebApplicationType.SERVLET, all);
    }

    static String url(ConfigurableApplicationContext edge, String path) {
        return "http://127.0.0.1:" + edge.getEnvironment().getRequiredProperty("local.server.port") + path;
    }
}
