package io.rdmarpc.autoconfigure;

import io.rdmarpc.service.client.routing.RdmaTargetResolver;
import java.util.List;
import java.util.Optional;

/**
 * The kinds of addresses there are besides host and port.
 *
 * @param all those of the application first
 */
record TargetResolvers(List<RdmaTargetResolver> all) {

    Optional<RdmaTargetResolver> of(String address) {
        return all.stream().filter(resolver -> resolver.supports(address)).findFirst();
    }
}
