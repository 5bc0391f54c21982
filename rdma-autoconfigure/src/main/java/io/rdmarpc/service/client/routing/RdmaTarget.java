package io.rdmarpc.service.client.routing;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.service.ServerAddress;
import java.time.Duration;

/**
 * The target of a client.
 *
 * @param name the target's name in the configuration
 * @param address its address, for display
 * @param channel the channel to it
 * @param timeout call timeout if the method sets none
 */
public record RdmaTarget(String name, String address, RpcChannel channel, TargetTimeout timeout) {

    /**
     * Key of the call metadata that selects the instance if the policy is sticky and no argument has
     * {@link io.rdmarpc.annotation.RdmaKey}.
     */
    public static final String KEY = "rdma-key";

    /**
     * Creates a target with an initial timeout.
     *
     * @param name the target's name in the configuration
     * @param address its address, for display
     * @param channel the channel to it
     * @param timeout call timeout if the method sets none, longer than 0
     */
    public RdmaTarget(String name, String address, RpcChannel channel, Duration timeout) {
        this(name, address, channel, new TargetTimeout(timeout));
    }

    /**
     * Returns the address in the form of observation attributes.
     *
     * @return host and port of {@link #address}
     */
    public ServerAddress server() {
        return ServerAddress.of(address);
    }

    @Override
    public String toString() {
        return name + " (" + address + ")";
    }
}
