package io.rdmarpc.autoconfigure.server;

import io.rdmarpc.service.server.RdmaServerStartedEvent;
import java.util.HashMap;
import java.util.Map;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/** Publishes the actual control port as the property {@code local.rdma.server.port}, for tests and other beans. */
final class LocalPortProperty implements ApplicationListener<RdmaServerStartedEvent> {

    static final String NAME = "local.rdma.server.port";

    private static final String SOURCE = "rdma.server.ports";

    private final ConfigurableEnvironment environment;

    LocalPortProperty(ConfigurableEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public void onApplicationEvent(RdmaServerStartedEvent event) {
        Map<String, Object> properties = new HashMap<>();
        properties.put(NAME, event.getAddress().getPort());
        environment.getPropertySources().addFirst(new MapPropertySource(SOURCE, properties));
    }
}
