package io.rdmarpc.verbs.soft.rnic;

/**
 * Packets of the shared-memory channel of one queue pair. Written by the channel's user without a lock; any thread may
 * read.
 */
public final class ShmChannelCounts {

    private long sent;
    private long received;

    public void countSent() {
        sent++;
    }

    public void countReceived() {
        received++;
    }

    long sent() {
        return sent;
    }

    long received() {
        return received;
    }
}
