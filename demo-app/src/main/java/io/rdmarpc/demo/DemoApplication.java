package io.rdmarpc.demo;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Serves orders (profile {@code server}), places them (profile {@code client}), or both in one process (profile {@code
 * both}, the default).
 */
@SpringBootApplication
@EnableConfigurationProperties(DemoProperties.class)
public class DemoApplication {

    /** Starts the role of the active profile; the client ends the process with its verdict. */
    public static void main(String[] args) {
        ConfigurableApplicationContext application = SpringApplication.run(DemoApplication.class, args);
        if (application.getBeanProvider(DemoClient.class).getIfAvailable() != null) {
            System.exit(SpringApplication.exit(application));
        }
    }
}
