package io.rdmarpc.verbs.soft.link;

/** Accepts shared-memory paths that peers open. Called under the RNIC's lock. */
public interface ShmPathListener {

    /**
     * Accepts a path, and then owns it.
     *
     * @param queuePair number of the target queue pair
     * @return false if no queue pair with that number reads paths; the link then passes its packets like all others
     */
    boolean take(int queuePair, ShmPathReader path);

    /** Requests the reader to close a path, because its sender is dead or writes invalid records. */
    void lose(ShmPathReader path);

    /** Returns whether a path has a packet for which a notification was requested. */
    boolean isAwaited();
}
