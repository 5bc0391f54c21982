package io.rdmarpc.demo;

import org.springframework.boot.ExitCodeGenerator;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Serves orders (profile {@code server}), places them (profile {@code client}), or both in one process (profile {@code
 * both}, the default). For the page, profile {@code http} adds HTTP to a server, and {@code page} is its client, in a
 * process of its own or in the server's. Profile {@code cache} adds a cache to a server, and {@code cache-client} reads it.
 */
@SpringBootApplication
@EnableConfigurationProperties(DemoProperties.class)
public class DemoApplication {

    /** Starts the role of the active profile; the client ends the process with its verdict. */
    public static void main(String[] args) {
        ConfigurableApplicationContext application = SpringApplication.run(DemoApplication.class, args);
        if (application.getBeanProvider(ExitCodeGenerator.class).stream()
                .findAny()
                .isPresent()) {
            System.exit(SpringApplication.exit(application));
        }
    }
}
