package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.QueuePairState;
import io.rdmarpc.verbs.ReceiveRequestChecks;
import io.rdmarpc.verbs.ReceiveRequests;
import io.rdmarpc.verbs.SharedReceiveQueue;
import io.rdmarpc.verbs.VerbsException;

/** Receives that several queue pairs take from, each when a message begins (InfiniBand Architecture Specification vol. 1, 10.2.9). */
final class SoftSharedReceiveQueue implements SharedReceiveQueue, OpenChildren.Child {

    private final SoftProtectionDomain domain;
    private final ReceiveQueue receives;
    private final ReceiveRequestChecks checks;
    private final OpenChildren queuePairs = new OpenChildren();
    private boolean closed;

    SoftSharedReceiveQueue(SoftProtectionDomain domain, int maxWr, int maxSge) {
        this.domain = domain;
        this.receives = new ReceiveQueue(maxWr, maxSge);
        this.checks = ReceiveRequestChecks.ofSharedQueue(maxSge);
    }

    SoftProtectionDomain domain() {
        return domain;
    }

    /** Returns the queue pairs that take receives from here. */
    OpenChildren queuePairs() {
        return queuePairs;
    }

    boolean isOpen() {
        return !closed;
    }

    ReceiveQueue receives() {
        return receives;
    }

    @Override
    public int maxWr() {
        return receives.capacity();
    }

    @Override
    public int maxSge() {
        return receives.maxSge();
    }

    @Override
    public int postReceive(ReceiveRequests requests, int first) {
        domain.rnic().lock();
        try {
            // A shared queue takes receives from its creation on.
            checks.check(requests, first, closed ? null : QueuePairState.INIT);
            for (int index = first; index >= 0; index = requests.next(index)) {
                int errno = receives.post(requests, index);
                if (errno != 0) {
                    requests.badIndex(index);
                    return errno;
                }
            }
            return 0;
        } finally {
            domain.rnic().unlock();
        }
    }

    @Override
    public void armLimit(int limit) {
        throw VerbsException.notSupported(
                "ibv_modify_srq",
                SoftDevice.NAME,
                "The software RNIC makes no asynchronous events: count the receives that complete");
    }

    @Override
    public int queryLimit() {
        return 0;
    }

    @Override
    public void close() {
        domain.rnic().lock();
        try {
            if (!closed) {
                closed = true;
                queuePairs.closeAll();
                receives.clear();
                domain.memoryAndHandles().remove(this);
            }
        } finally {
            domain.rnic().unlock();
        }
    }
}
