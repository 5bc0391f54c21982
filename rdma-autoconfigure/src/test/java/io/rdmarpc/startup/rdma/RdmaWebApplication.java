package io.rdmarpc.startup.rdma;

import io.rdmarpc.annotation.RdmaClient;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.startup.web.WebApplication;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Import;

/** The same application with our starter: it offers a service and has a client of it. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@ComponentScan
@Import({WebApplication.class, WebApplication.Greetings.class})
public class RdmaWebApplication {

    /** What travels. */
    public record Line(String article, int count) {}

    /** What travels. */
    public record Order(String customer, List<Line> lines) {}

    /** A service as a user has one. */
    @RdmaService
    public interface Orders {
        String place(Order order);
    }

    /** Offers it. */
    @Bean
    Orders orders() {
        return order -> order.customer() + " " + order.lines().size();
    }

    /** Calls it. */
    public record Shop(Orders orders) {}

    /** Has a client. */
    @Bean
    Shop shop(@RdmaClient Orders remote) {
        return new Shop(remote);
    }

    public static void main(String[] args) {
        SpringApplication.run(RdmaWebApplication.class, args);
    }
}
