package io.rdmarpc.autoconfigure;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.client.RdmaServiceProxyFactory;
import io.rdmarpc.service.client.RdmaTarget;
import io.rdmarpc.service.client.TargetListener;
import io.rdmarpc.verbs.RdmaConfigurationException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;

/** Makes the clients of the configured targets; those of one target share its channel. Any thread. */
final class RdmaClients implements DisposableBean {

    static final String DEFAULT_TARGET = "default";

    private final RdmaRuntime runtime;
    private final RdmaServiceProxyFactory proxies;
    private final RdmaClientProperties properties;
    private final ObjectProvider<TargetListener> listeners;
    private final Map<String, RdmaTarget> targets = new ConcurrentHashMap<>();

    RdmaClients(
            RdmaRuntime runtime,
            RdmaServiceProxyFactory proxies,
            RdmaClientProperties properties,
            ObjectProvider<TargetListener> listeners) {
        this.listeners = listeners;
        this.runtime = runtime;
        this.proxies = proxies;
        this.properties = properties;
    }

    <T> T create(Class<T> type, String target) {
        return proxies.create(type, targets.computeIfAbsent(target, this::open));
    }

    private RdmaTarget open(String name) {
        RdmaClientProperties.Target settings = settingsOf(name);
        List<InetSocketAddress> addresses =
                TargetAddress.parseAll(name, Objects.requireNonNullElse(settings.address(), ""));
        RpcChannel channel = runtime.channel(name, addresses);
        listeners.forEach(listener -> listener.onTarget(name));
        return new RdmaTarget(
                name,
                TargetAddress.text(addresses),
                channel,
                Objects.requireNonNullElse(settings.timeout(), properties.timeout()));
    }

    private RdmaClientProperties.Target settingsOf(String name) {
        RdmaClientProperties.Target settings = properties.targets().get(name);
        if (settings != null) {
            return settings;
        }
        if (name.equals(DEFAULT_TARGET)) {
            return new RdmaClientProperties.Target("localhost", null);
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
