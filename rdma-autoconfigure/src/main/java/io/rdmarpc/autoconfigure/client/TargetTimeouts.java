package io.rdmarpc.autoconfigure.client;

import io.rdmarpc.service.client.routing.RdmaTarget;
import java.time.Duration;

/**
 * Call timeouts of targets, used if neither {@code @RdmaMethod} nor {@code CallOptions} sets one. They start with
 * the configured values and can be changed while the application runs. Thread-safe.
 */
public final class TargetTimeouts {

    private final RdmaClients clients;

    TargetTimeouts(RdmaClients clients) {
        this.clients = clients;
    }

    /**
     * Returns the timeout in use.
     *
     * @param target the target's name
     * @return longer than 0
     * @throws io.rdmarpc.verbs.error.RdmaConfigurationException if there is no such target
     */
    public Duration of(String target) {
        return target(target).timeout().get();
    }

    /**
     * Changes the timeout of future calls.
     *
     * @param target the target's name
     * @param timeout the timeout, longer than 0
     * @throws io.rdmarpc.verbs.error.RdmaConfigurationException if there is no such target
     * @throws IllegalArgumentException if the timeout is not longer than 0
     */
    public void set(String target, Duration timeout) {
        target(target).timeout().set(timeout);
    }

    private RdmaTarget target(String name) {
        return clients.target(name);
    }
}
