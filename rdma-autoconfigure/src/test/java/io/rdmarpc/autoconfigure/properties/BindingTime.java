package io.rdmarpc.autoconfigure.properties;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Configuration;

/**
 * Prints how long the binding of the RDMA settings takes for the first context, as at the start of an application. It
 * also prints the median of further contexts. A context with Spring Boot's own settings runs first, so that shared
 * classes are loaded.
 */
public final class BindingTime {

    private static final int TIMES = 20;

    private static final String[] SETTINGS = {
        "rdma.provider=soft",
        "rdma.client.timeout=2s",
        "rdma.client.targets.default.address=localhost:7471",
        "rdma.server.max-concurrent-calls=512",
        "rdma.ud.receive-depth=2048",
        "rdma.soft.addresses=127.0.0.1"
    };

    private BindingTime() {}

    /**
     * Runs the measurement.
     *
     * @param arguments ignored
     */
    public static void main(String... arguments) {
        long others = micros(Others.class);
        long first = micros(BoundSettings.Configured.class);
        long[] next = new long[TIMES];
        for (int i = 0; i < TIMES; i++) {
            next[i] = micros(BoundSettings.Configured.class);
        }
        Arrays.sort(next);
        System.out.println("first context of all, settings of a web server: " + others + " µs");
        System.out.println("first context with our settings: " + first + " µs");
        System.out.println("median of " + TIMES + " more: " + next[TIMES / 2] + " µs");
    }

    private static long micros(Class<?> configuration) {
        ApplicationContextRunner runner = new ApplicationContextRunner()
                .withUserConfiguration(configuration)
                .withPropertyValues(SETTINGS);
        long before = System.nanoTime();
        runner.run(context -> {
            if (context.getStartupFailure() != null) {
                throw new IllegalStateException(context.getStartupFailure());
            }
        });
        return TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - before);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(ServerProperties.class)
    static class Others {}
}
