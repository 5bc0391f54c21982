package io.rdmarpc.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/** Where targets are. A bean of this type wins over {@code rdma.client.targets.*.address}, for tests and containers. */
@FunctionalInterface
public interface RdmaConnectionDetails extends ConnectionDetails {

    /**
     * Returns where a target is.
     *
     * @param target its name
     * @return as in {@code rdma.client.targets.*.address}; null for what the settings say
     */
    @Nullable
    String getAddress(String target);
}
