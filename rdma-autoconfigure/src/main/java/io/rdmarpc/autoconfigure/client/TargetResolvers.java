package io.rdmarpc.autoconfigure.client;

import io.rdmarpc.service.client.routing.RdmaTargetResolver;
import java.util.List;
import java.util.Optional;

/**
 * The resolvers of addresses other than host and port.
 *
 * @param all the resolvers, those of the application first
 */
public record TargetResolvers(List<RdmaTargetResolver> all) {

    /**
     * Returns the first resolver that supports an address.
     *
     * @param address the configured address
     * @return empty if no resolver supports it, as for a host and port
     */
    public Optional<RdmaTargetResolver> of(String address) {
        return all.stream().filter(resolver -> resolver.supports(address)).findFirst();
    }
}
