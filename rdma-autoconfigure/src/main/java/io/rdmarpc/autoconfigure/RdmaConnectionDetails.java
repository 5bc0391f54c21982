package io.rdmarpc.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * Addresses of targets. A bean of this type takes precedence over {@code rdma.client.targets.*.address}, for tests
 * and containers.
 */
@FunctionalInterface
public interface RdmaConnectionDetails extends ConnectionDetails {

    /**
     * Returns the address of a target.
     *
     * @param target the target's name
     * @return an address in the form of {@code rdma.client.targets.*.address}; null to use the configured one
     */
    @Nullable
    String getAddress(String target);
}
