package io.rdmarpc.demo.live;

import io.rdmarpc.demo.DemoApplication;
import io.rdmarpc.demo.live.load.LoadSettings;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The page and the server in one process, on free ports. */
final class LiveApplication implements AutoCloseable {

    /**
     * Limit of the warm-up: short for tests, long for a screenshot, which must show what {@code ./demo --web} shows.
     */
    static final int WARM_UP_SECONDS = System.getProperty("demo.screenshot") == null ? 3 : 60;

    private final ConfigurableApplicationContext context;

    /**
     * Starts the application.
     *
     * @param arguments arguments in addition to its own
     */
    LiveApplication(String... arguments) {
        List<String> all = new ArrayList<>(List.of(
                "--spring.profiles.active=server,http,grpc,page",
                "--server.port=0",
                "--rdma.server.port=0",
                "--demo.warm-up-seconds=" + WARM_UP_SECONDS,
                "--rdma.provider=soft",
                "--rdma.memory.max-size=256MB"));
        all.addAll(List.of(arguments));
        context = new SpringApplicationBuilder(DemoApplication.class)
                .registerShutdownHook(false)
                .run(all.toArray(String[]::new));
    }

    String url() {
        return "http://127.0.0.1:" + context.getEnvironment().getRequiredProperty("local.server.port");
    }

    LoadSettings settings() {
        return context.getBean(LiveLoad.class).runner().settings();
    }

    @Override
    public void close() {
        context.close();
    }
}
