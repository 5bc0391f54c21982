package io.rdmarpc.integration.app;

import io.rdmarpc.annotation.RdmaClient;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** Offers a service, calls itself and ends; to be prepared ahead of time. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class AotApplication {

    /** Calls. */
    public static class Shop {

        private final Orders remote;
        private final Orders local;

        public Shop(Orders remote, Orders local) {
            this.remote = remote;
            this.local = local;
        }

        String say() {
            return "sum " + remote.add(40, 2) + " by " + remote + ", local is "
                    + local.getClass().getSimpleName();
        }
    }

    @Bean
    OrdersImpl orders() {
        return new OrdersImpl();
    }

    @Bean
    Shop shop(@RdmaClient Orders remote, Orders local) {
        return new Shop(remote, local);
    }

    public static void main(String[] args) {
        try (ConfigurableApplicationContext context = SpringApplication.run(AotApplication.class, args)) {
            System.out.println(context.getBean(Shop.class).say());
        }
    }
}
