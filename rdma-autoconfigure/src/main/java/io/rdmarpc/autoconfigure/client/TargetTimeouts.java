package io.rdmarpc.autoconfigure.client;

import io.rdmarpc.service.client.routing.RdmaTarget;
import java.time.Duration;

/**
 * How long calls may take, by the names of targets, where neither {@code @RdmaMethod} nor {@code CallOptions} says: the
 * settings' times at first, changed while the application runs. Any thread.
 */
public final class TargetTimeouts {

    private final RdmaClients clients;

    TargetTimeouts(RdmaClients clients) {
        this.clients = clients;
    }

    /**
     * Returns what counts now.
     *
     * @param target the target's name
     * @return over 0
     * @throws io.rdmarpc.verbs.error.RdmaConfigurationException when there is no such target
     */
    public Duration of(String target) {
        return target(target).timeout().get();
    }

    /**
     * Changes the time of calls that begin from now on.
     *
     * @param target the target's name
     * @param timeout over 0
     * @throws io.rdmarpc.verbs.error.RdmaConfigurationException when there is no such target
     * @throws IllegalArgumentException when the time is not over 0
     */
    public void set(String target, Duration timeout) {
        target(target).timeout().set(timeout);
    }

    private RdmaTarget target(String name) {
        return clients.target(name);
    }
}
