package io.rdmarpc.service.memory;

import io.rdmarpc.remote.RemotePeer;

/** The ways to the memory of targets, by name. Any thread. */
@FunctionalInterface
public interface MemoryTargets {

    /**
     * Finds the way to a target; it connects when first needed.
     *
     * @param target the target's name
     * @return the way there, which is not the caller's to close
     * @throws io.rdmarpc.verbs.error.RdmaConfigurationException when there is no such target
     */
    RemotePeer of(String target);
}
