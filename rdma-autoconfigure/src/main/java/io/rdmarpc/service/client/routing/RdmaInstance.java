package io.rdmarpc.service.client.routing;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Objects;

/**
 * One process that offers the services of a target. A different id or address is a different instance.
 *
 * @param id identifier, constant while the process runs and unique among the instances of its target
 * @param address its control port; each connection attempt resolves an unresolved host name
 * @param metadata metadata of the instance in the registry
 */
public record RdmaInstance(String id, InetSocketAddress address, Map<String, String> metadata) {

    /**
     * Copies the metadata.
     *
     * @param id unique among the instances of its target
     * @param address its control port
     * @param metadata metadata of the instance in the registry
     */
    public RdmaInstance {
        metadata = Map.copyOf(metadata);
    }

    /** Compares id and address. The metadata may change while the instance runs. */
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
