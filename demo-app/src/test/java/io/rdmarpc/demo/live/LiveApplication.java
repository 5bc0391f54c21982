package io.rdmarpc.demo.live;

import io.rdmarpc.demo.DemoApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The page and the server in one process, on free ports. */
final class LiveApplication implements AutoCloseable {

    private final ConfigurableApplicationContext context;

    LiveApplication() {
        context = new SpringApplicationBuilder(DemoApplication.class)
                .registerShutdownHook(false)
                .run(
                        "--spring.profiles.active=server,http,page",
                        "--server.port=0",
                        "--rdma.server.port=0",
                        "--rdma.provider=soft",
                        "--rdma.memory.max=256MB");
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
