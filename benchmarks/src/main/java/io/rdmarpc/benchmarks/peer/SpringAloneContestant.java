package io.rdmarpc.benchmarks.peer;

import io.rdmarpc.benchmarks.load.CallMode;
import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Contestant;
import io.rdmarpc.benchmarks.load.Payload;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The applications of {@link SpringContestant} without the starter, while idle, to subtract the cost of Spring itself.
 */
record SpringAloneContestant() implements Contestant {

    /** An application without any work. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Alone {}

    private static ConfigurableApplicationContext run() {
        return new SpringApplicationBuilder(Alone.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--rdma.enabled=false",
                        "--spring.threads.virtual.enabled=true",
                        "--spring.main.banner-mode=off",
                        "--logging.level.root=warn");
    }

    @Override
    public CallMode mode(Payload payload, Callers callers) {
        return new CallMode("none", "none", "none");
    }

    @Override
    public Server serve() {
        ConfigurableApplicationContext context = run();
        return new Server() {
            @Override
            public String address() {
                return "none";
            }

            @Override
            public void close() {
                context.close();
            }
        };
    }

    @Override
    public Client connect(String address) {
        ConfigurableApplicationContext context = run();
        return new Client() {
            // There is no service to call.
            @Override
            public Caller caller(Payload payload) {
                return () -> Thread.sleep(1);
            }

            @Override
            public void close() {
                context.close();
            }
        };
    }
}
