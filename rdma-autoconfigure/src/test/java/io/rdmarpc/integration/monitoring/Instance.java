package io.rdmarpc.integration.monitoring;

import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.rpc.error.RdmaRpcException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** An application that exports its meters to Prometheus, and threads that call its services again and again. */
final class Instance implements AutoCloseable {

    private static final Map<String, String> DEFAULTS = Map.of(
            "server.port", "0",
            "server.address", "127.0.0.1",
            "management.endpoints.web.exposure.include", "prometheus",
            // Only injected faults may cause retransmissions, even if other processes occupy the CPUs.
            "rdma.retransmit.initial-timeout", "1s",
            "rdma.retransmit.min-timeout", "1s",
            "rdma.retransmit.max-timeout", "1s");

    private final ConfigurableApplicationContext application;
    private final List<Thread> callers = new ArrayList<>();

    /** Offers {@link Work}. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Server {

        @Bean
        Work work() {
            return new WorkBean();
        }
    }

    /** Calls only. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Client {}

    private Instance(Class<?> type, List<String> properties) {
        Map<String, String> all = new LinkedHashMap<>(DEFAULTS);
        properties.forEach(
                each -> all.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1)));
        application = TestApplication.run(
                type,
                WebApplicationType.SERVLET,
                all.entrySet().stream().map(Map.Entry::toString).toArray(String[]::new));
    }

    static Instance server(String... properties) {
        return new Instance(Server.class, List.of(properties));
    }

    static Instance client(int port, String... properties) {
        List<String> all = new ArrayList<>(List.of("rdma.client.targets.default.address=127.0.0.1:" + port));
        all.addAll(List.of(properties));
        return new Instance(Client.class, all);
    }

    int controlPort() {
        return TestApplication.port(application);
    }

    int httpPort() {
        return application.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    /** Starts threads that each repeat a call with pauses, until the instance is closed. Calls may fail. */
    Instance calls(int threads, long pauseMillis, Consumer<Work> call) {
        Work work = application.getBean(Work.class);
        for (int i = 0; i < threads; i++) {
            callers.add(Thread.ofVirtual().start(() -> repeat(work, pauseMillis, call)));
        }
        return this;
    }

    private static void repeat(Work work, long pauseMillis, Consumer<Work> call) {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                call.accept(work);
            } catch (RdmaRpcException | CompletionException e) {
                // The alerts report failures. The caller goes on, as an application does.
            }
            try {
                Thread.sleep(pauseMillis);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    @Override
    public void close() {
        callers.forEach(Thread::interrupt);
        application.close();
    }
}
