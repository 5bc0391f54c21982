package io.rdmarpc.autoconfigure;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.client.RdmaServiceProxyFactory;
import io.rdmarpc.service.client.RdmaTarget;
import io.rdmarpc.service.client.TargetListener;
import io.rdmarpc.verbs.RdmaConfigurationException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;

/** Makes the clients of the configured targets; those of one target share its channel. Any thread. */
final class RdmaClients implements DisposableBean {

    static final String DEFAULT_TARGET = "default";

    private final TargetChannels channels;
    private final RdmaConnectionDetails details;
    private final RdmaServiceProxyFactory proxies;
    private final RdmaClientProperties properties;
    private final ObjectProvider<TargetListener> listeners;
    private final Map<String, RdmaTarget> targets = new ConcurrentHashMap<>();
    private final List<Made> made = new CopyOnWriteArrayList<>();

    /** A client that was made. */
    record Made(String service, RdmaTarget target) {}

    RdmaClients(
            RdmaRuntime runtime,
            RdmaServiceProxyFactory proxies,
            TargetResolvers resolvers,
            RdmaProperties properties,
            RdmaConnectionDetails details,
            ObjectProvider<TargetListener> listeners) {
        this.channels = new TargetChannels(runtime, resolvers, properties, details);
        this.details = details;
        this.listeners = listeners;
        this.proxies = proxies;
        this.properties = properties.client();
    }

    <T> T create(Class<T> type, String target) {
        RdmaTarget opened = targets.computeIfAbsent(target, this::open);
        T client = proxies.create(type, opened);
        made.add(new Made(type.getName(), opened));
        return client;
    }

    /** Connects to the targets of the configuration and to those that have clients. */
    void connectAll(Duration limit) {
        properties.targets().keySet().forEach(name -> targets.computeIfAbsent(name, this::open));
        targets.values().forEach(target -> target.channel().session(limit));
    }

    /** The names of the targets that have clients. */
    Set<String> targets() {
        return Set.copyOf(targets.keySet());
    }

    /** Every client that was made. */
    List<Made> clients() {
        return List.copyOf(made);
    }

    private RdmaTarget open(String name) {
        RdmaClientProperties.Target settings = settingsOf(name);
        RpcChannel channel = channels.open(name, settings);
        listeners.forEach(listener -> listener.onTarget(name));
        return new RdmaTarget(
                name,
                channels.describe(name, settings),
                channel,
                Objects.requireNonNullElse(settings.timeout(), properties.timeout()));
    }

    private RdmaClientProperties.Target settingsOf(String name) {
        RdmaClientProperties.Target settings = properties.targets().get(name);
        if (settings != null) {
            return settings;
        }
        if (name.equals(DEFAULT_TARGET) || details.getAddress(name) != null) {
            return new RdmaClientProperties.Target("localhost", List.of(), null, null);
        }
        throw new RdmaConfigurationException(
                "client.targets." + name + ".address",
                "",
                "a client of target '" + name + "' is wanted, but only "
                        + properties.targets().keySet() + " are set",
                "Set it to the host:port of the server");
    }

    @Override
    public void destroy() {
        targets.values().forEach(target -> target.channel().close());
    }
}
