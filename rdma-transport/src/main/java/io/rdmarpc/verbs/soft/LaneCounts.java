package io.rdmarpc.verbs.soft;

/** What went through the lanes of one queue pair. Written by its user, without a lock; any thread may look. */
final class LaneCounts {

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
