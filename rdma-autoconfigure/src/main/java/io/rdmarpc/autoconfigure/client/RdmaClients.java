package io.rdmarpc.autoconfigure.client;

import io.rdmarpc.autoconfigure.RdmaConnectionDetails;
import io.rdmarpc.autoconfigure.properties.RdmaClientProperties;
import io.rdmarpc.autoconfigure.properties.RdmaProperties;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.client.RdmaServiceProxyFactory;
import io.rdmarpc.service.client.routing.RdmaTarget;
import io.rdmarpc.service.client.routing.TargetListener;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;

/** Creates the clients of the configured targets. Clients of one target share its channel. Thread-safe. */
public final class RdmaClients implements DisposableBean {

    private final TargetChannels channels;
    private final TargetSettings known;
    private final RdmaServiceProxyFactory proxies;
    private final RdmaClientProperties properties;
    private final ObjectProvider<TargetListener> listeners;
    private final Map<String, RdmaTarget> targets = new ConcurrentHashMap<>();
    private final List<Made> made = new CopyOnWriteArrayList<>();

    /**
     * A client that was created.
     *
     * @param service name of the service's interface
     * @param target the target that the client calls
     */
    public record Made(String service, RdmaTarget target) {}

    RdmaClients(
            RdmaRuntime runtime,
            RdmaServiceProxyFactory proxies,
            TargetResolvers resolvers,
            RdmaProperties properties,
            RdmaConnectionDetails details,
            ObjectProvider<TargetListener> listeners) {
        this.known = new TargetSettings(properties.client(), details);
        this.channels = new TargetChannels(runtime, resolvers, properties, known);
        this.listeners = listeners;
        this.proxies = proxies;
        this.properties = properties.client();
    }

    /**
     * Creates a client.
     *
     * @param type interface of the service
     * @param target name of the target that it calls
     * @param <T> the interface
     * @return a new proxy
     */
    public <T> T create(Class<T> type, String target) {
        RdmaTarget opened = target(target);
        T client = proxies.create(type, opened);
        made.add(new Made(type.getName(), opened));
        return client;
    }

    /** Connects to all configured targets and to those that have clients. */
    void connectAll(Duration limit) {
        properties.targets().keySet().forEach(this::target);
        targets.values().forEach(target -> target.channel().session(limit));
    }

    /**
     * Returns a configured target without connecting to it.
     *
     * @param name name of the target
     * @return the same object each time
     */
    public RdmaTarget target(String name) {
        return targets.computeIfAbsent(name, this::open);
    }

    /**
     * Returns the names of the targets that clients use.
     *
     * @return a copy
     */
    public Set<String> targets() {
        return Set.copyOf(targets.keySet());
    }

    /**
     * Returns every client that was created.
     *
     * @return a copy
     */
    public List<Made> clients() {
        return List.copyOf(made);
    }

    private RdmaTarget open(String name) {
        RdmaClientProperties.Target settings = known.of(name, "a client");
        RpcChannel channel = channels.open(name, settings);
        listeners.forEach(listener -> listener.onTarget(name));
        return new RdmaTarget(
                name,
                known.describe(name, settings),
                channel,
                Objects.requireNonNullElse(settings.timeout(), properties.timeout()));
    }

    @Override
    public void destroy() {
        targets.values().forEach(target -> target.channel().close());
    }
}
