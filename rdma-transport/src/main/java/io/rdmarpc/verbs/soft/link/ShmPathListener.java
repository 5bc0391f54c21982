package io.rdmarpc.verbs.soft.link;

/** Accepts shared-memory paths that peers make. Everything is under the lock. */
public interface ShmPathListener {

    /**
     * Takes over a path.
     *
     * @param queuePair the queue pair that it leads to
     * @return false when no queue pair of that number reads paths: its packets are handed over with all others then
     */
    boolean take(int queuePair, ShmPathReader path);

    /** A path's sender is dead or writes malformed records: its reader is to close it. */
    void lose(ShmPathReader path);

    /** Tells whether a notification was asked for and a packet is in a path. */
    boolean isAwaited();
}
