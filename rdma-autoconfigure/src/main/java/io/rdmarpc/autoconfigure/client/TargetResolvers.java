package io.rdmarpc.autoconfigure.client;

import io.rdmarpc.service.client.routing.RdmaTargetResolver;
import java.util.List;
import java.util.Optional;

/**
 * The kinds of addresses there are besides host and port.
 *
 * @param all those of the application first
 */
public record TargetResolvers(List<RdmaTargetResolver> all) {

    /**
     * Returns the first one that supports an address.
     *
     * @param address as it is set
     * @return empty if it is a host and a port
     */
    public Optional<RdmaTargetResolver> of(String address) {
        return all.stream().filter(resolver -> resolver.supports(address)).findFirst();
    }
}
