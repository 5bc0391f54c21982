package io.rdmarpc.verbs.soft;

/** Packets of the shared-memory channel of one queue pair. Written by its user, without a lock; any thread may read. */
final class ShmChannelCounts {

    private long sent;
    private long received;

    void countSent() {
        sent++;
    }

    void countReceived() {
        received++;
    }

    long sent() {
        return sent;
    }

    long received() {
        return received;
    }
}
