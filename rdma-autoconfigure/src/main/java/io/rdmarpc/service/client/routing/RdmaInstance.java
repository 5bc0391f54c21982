package io.rdmarpc.service.client.routing;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Objects;

/**
 * One process that offers the services of a target. Another id, or another address, is another instance.
 *
 * @param id the same as long as the process lives, unique among the instances of its target
 * @param address its control port; a name is looked up at each connection when it is unresolved
 * @param metadata what the registry knows of it
 */
public record RdmaInstance(String id, InetSocketAddress address, Map<String, String> metadata) {

    /**
     * Copies the metadata.
     *
     * @param id unique among the instances of its target
     * @param address its control port
     * @param metadata what the registry knows of it
     */
    public RdmaInstance {
        metadata = Map.copyOf(metadata);
    }

    /** What the registry knows of it may change while it lives. */
    @Override
    public boolean equals(Object other) {
        return other instanceof RdmaInstance instance && id.equals(instance.id) && address.equals(instance.address);
    }

    @Override
    public int hashCode() {
        return Objects.hash(id, address);
    }

    @Override
    public String toString() {
        return id + " at " + address.getHostString() + ":" + address.getPort();
    }
}
