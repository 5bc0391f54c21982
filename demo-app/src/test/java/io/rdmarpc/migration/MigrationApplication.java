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

/** Applications of the examples, on free ports of this host. */
public final class MigrationApplication {

    private MigrationApplication() {}

    /**
     * Starts a server.
     *
     * @param configuration its beans
     * @param web none or servlet
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
     * @param configuration its beans
     * @param server whom to call; nobody when null
     * @param properties what else to set
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
     * Counts calls.
     *
     * @param application who has counted
     * @param meter the timer
     * @param tag which of them
     * @param value which of them
     * @return how many there were
     */
    public static double timed(ConfigurableApplicationContext application, String meter, String tag, String value) {
        return application.getBean(MeterRegistry.class).find(meter).tag(tag, value).timers().stream()
                .mapToLong(Timer::count)
                .sum();
    }

    /**
     * Waits until something holds: a server counts a call after it has answered it.
     *
     * @param assertion what has to hold
     */
    public static void await(ThrowingRunnable assertion) {
        Awaitility.await().untilAsserted(assertion);
    }
}
