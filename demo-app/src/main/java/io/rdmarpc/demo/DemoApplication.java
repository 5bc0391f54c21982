package io.rdmarpc.demo;

import io.rdmarpc.demo.compare.Comparison;
import java.util.Arrays;
import java.util.List;
import org.springframework.boot.ExitCodeGenerator;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Serves orders (profile {@code server}), places them (profile {@code client}), or does both in one process (profile
 * {@code both}, the default). For the web page, profile {@code http} adds an HTTP interface to a server. Profile
 * {@code page} is its client, in a separate process or in the server's process. Profile {@code cache} adds a cache to a
 * server, and profile {@code cache-client} reads that cache. Profile {@code training} serves orders and calls each method
 * once, for an ahead-of-time cache. Profile {@code grpc} adds a gRPC server. Profiles {@code compared} and {@code
 * compared-client} are for the processes that {@link Comparison} starts.
 */
@SpringBootApplication
@EnableConfigurationProperties(DemoProperties.class)
public class DemoApplication {

    /** Starts the role of the active profile. The client ends the process with its exit code. */
    public static void main(String[] args) {
        List<String> arguments = Arrays.asList(args);
        if (arguments.contains(Comparison.ARGUMENT)) {
            List<String> others = arguments.stream()
                    .filter(argument -> !argument.equals(Comparison.ARGUMENT))
                    .toList();
            System.exit(Comparison.run(others, System.out));
        }
        ConfigurableApplicationContext application = SpringApplication.run(DemoApplication.class, args);
        if (application.getBeanProvider(ExitCodeGenerator.class).stream()
                .findAny()
                .isPresent()) {
            System.exit(SpringApplication.exit(application));
        }
    }
}
