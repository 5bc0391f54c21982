package io.rdmarpc.service.memory;

import io.rdmarpc.remote.RemotePeer;

/** Targets for remote memory, by name. Thread-safe. */
@FunctionalInterface
public interface MemoryTargets {

    /**
     * Returns a target; it connects at first use.
     *
     * @param target the name of the target
     * @return the target, which the caller must not close
     * @throws io.rdmarpc.verbs.error.RdmaConfigurationException if the target is not configured
     */
    RemotePeer of(String target);
}
