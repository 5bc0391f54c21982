package io.rdmarpc.service.client.routing;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.service.ServerAddress;
import java.time.Duration;

/**
 * Whom a client calls.
 *
 * @param name the target's name in the configuration
 * @param address where it is, in words
 * @param channel the way to it
 * @param timeout how long a call may take where its method does not say
 */
public record RdmaTarget(String name, String address, RpcChannel channel, TargetTimeout timeout) {

    /**
     * Call metadata that decides about the instance where the policy is sticky and no argument has {@link
     * io.rdmarpc.annotation.RdmaKey}.
     */
    public static final String KEY = "rdma-key";

    /**
     * Starts with a time.
     *
     * @param name the target's name in the configuration
     * @param address where it is, in words
     * @param channel the way to it
     * @param timeout how long a call may take where its method does not say, over 0
     */
    public RdmaTarget(String name, String address, RpcChannel channel, Duration timeout) {
        this(name, address, channel, new TargetTimeout(timeout));
    }

    /**
     * Returns its address in the form of attributes.
     *
     * @return what {@link #address} says
     */
    public ServerAddress server() {
        return ServerAddress.of(address);
    }

    @Override
    public String toString() {
        return name + " (" + address + ")";
    }
}
