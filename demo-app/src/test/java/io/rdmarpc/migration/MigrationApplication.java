package io.rdmarpc.migration;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts the applications of the migration examples, on free ports of this host. */
public final class MigrationApplication {

    private MigrationApplication() {}

    /**
     * Starts a server.
     *
     * @param configuration class with the server's beans
     * @param web web application type, none or servlet
     * @return the application, which the caller closes
     */
    public static ConfigurableApplicationContext server(Class<?> configuration, String web) {
        return run(
                configuration,
                List.of("server.port=0", "rdma.server.port=0", "spring.main.web-application-type=" + web));
    }

    /**
     * Starts a client.
     *
     * @param configuration class with the client's beans
     * @param server the server to call; null for an address without a server
     * @param properties additional properties
     * @return the application, which the caller closes
     */
    public static ConfigurableApplicationContext client(
            Class<?> configuration, @Nullable ConfigurableApplicationContext server, String... properties) {
        String port = server == null
                ? String.valueOf(closedPort())
                : server.getEnvironment().getRequiredProperty("local.rdma.server.port");
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("rdma.server.enabled=false");
        all.add("rdma.client.targets.default.address=127.0.0.1:" + port);
        return run(configuration, all);
    }

    private static ConfigurableApplicationContext run(Class<?> configuration, List<String> properties) {
        List<String> arguments = new ArrayList<>(List.of("--rdma.provider=soft", "--rdma.memory.max-size=128MB"));
        properties.forEach(property -> arguments.add("--" + property));
        return new SpringApplicationBuilder(configuration)
                .registerShutdownHook(false)
                .run(arguments.toArray(String[]::new));
    }

    private static int closedPort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns how many calls a meter has counted.
     *
     * @param application the application that has the meter
     * @param meter name of the timer
     * @param tag key of the tag that selects the timer
     * @param value value of that tag
     * @return the number of calls
     */
    public static double timed(ConfigurableApplicationContext application, String meter, String tag, String value) {
        return application.getBean(MeterRegistry.class).find(meter).tag(tag, value).timers().stream()
                .mapToLong(Timer::count)
                .sum();
    }

    /**
     * Waits until an assertion holds, because a server counts a call only after it has sent the response.
     *
     * @param assertion the assertion
     */
    public static void await(ThrowingRunnable assertion) {
        Awaitility.await().untilAsserted(assertion);
    }
}
