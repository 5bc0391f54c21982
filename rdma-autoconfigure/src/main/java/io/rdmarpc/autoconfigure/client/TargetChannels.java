package io.rdmarpc.autoconfigure.client;

import io.rdmarpc.autoconfigure.properties.RdmaClientProperties;
import io.rdmarpc.autoconfigure.properties.RdmaProperties;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.client.routing.BalancedChannel;
import io.rdmarpc.service.client.routing.BalancingConfig;
import io.rdmarpc.service.client.routing.BalancingPolicy;
import io.rdmarpc.service.client.routing.FixedInstances;
import io.rdmarpc.service.client.routing.RdmaTargetResolver;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Opens the channel of a target according to its settings: to one server, or to each instance. */
public final class TargetChannels {

    private final RdmaRuntime runtime;
    private final TargetResolvers resolvers;
    private final RdmaProperties properties;
    private final TargetSettings targets;

    /**
     * Creates it.
     *
     * @param runtime runtime that opens sessions
     * @param resolvers resolvers of addresses other than host and port
     * @param properties settings of timeouts and balancing
     * @param targets addresses of the targets
     */
    public TargetChannels(
            RdmaRuntime runtime, TargetResolvers resolvers, RdmaProperties properties, TargetSettings targets) {
        this.targets = targets;
        this.runtime = runtime;
        this.resolvers = resolvers;
        this.properties = properties;
    }

    /**
     * Opens a channel, which connects at its first use.
     *
     * @param name name of the target
     * @param settings settings of the target
     * @return a new channel
     */
    public RpcChannel open(String name, RdmaClientProperties.Target settings) {
        String text = targets.address(name, settings);
        RdmaTargetResolver resolver = resolvers.of(text).orElse(null);
        if (resolver != null) {
            return balanced(name, text, resolver, settings.policy());
        }
        TargetAddress.requireNoRegistry(name, text);
        List<InetSocketAddress> addresses = TargetAddress.parseAll(name, text);
        return settings.policy() == null
                ? runtime.channel(name, addresses)
                : balanced(name, text, new FixedInstances(addresses), settings.policy());
    }

    private BalancedChannel balanced(
            String name, String address, RdmaTargetResolver resolver, @Nullable BalancingPolicy policy) {
        return new BalancedChannel(
                name, address, resolver, instance -> runtime.channel(name, instance.address()), config(policy));
    }

    private BalancingConfig config(@Nullable BalancingPolicy policy) {
        RdmaClientProperties.Balancing balancing = properties.client().balancing();
        return new BalancingConfig(
                Objects.requireNonNullElse(policy, BalancingPolicy.ROUND_ROBIN),
                properties.connectTimeout(),
                balancing.probation(),
                balancing.maxConsecutiveTimeouts(),
                balancing.drainTimeout());
    }
}
