package io.rdmarpc.verbs.soft.qp;

import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.SharedReceiveQueue;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.check.ReceiveRequestChecks;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.soft.domain.DomainContext;
import io.rdmarpc.verbs.soft.port.DeviceConstants;
import io.rdmarpc.verbs.soft.rnic.OpenChildren;
import io.rdmarpc.verbs.wr.ReceiveRequests;

/**
 * Receives that several queue pairs use, one for each message (InfiniBand Architecture Specification vol. 1, 10.2.9).
 */
public final class SoftSharedReceiveQueue implements SharedReceiveQueue, OpenChildren.Child {

    private final DomainContext domain;
    private final ReceiveQueue receives;
    private final ReceiveRequestChecks checks;
    private final OpenChildren queuePairs = new OpenChildren();
    private int limit;
    private boolean closed;

    public SoftSharedReceiveQueue(DomainContext domain, int maxWr, int maxSge) {
        this.domain = domain;
        this.receives = new ReceiveQueue(maxWr, maxSge);
        this.checks = ReceiveRequestChecks.ofSharedQueue(maxSge);
    }

    public DomainContext domain() {
        return domain;
    }

    /** Returns the queue pairs that use this queue. */
    public OpenChildren queuePairs() {
        return queuePairs;
    }

    public boolean isOpen() {
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
            // A shared queue accepts receives as soon as it exists.
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
    public void armLimit(int wanted) {
        domain.rnic().lock();
        try {
            if (closed || wanted < 0 || wanted > maxWr()) {
                throw new RdmaVerbsException(
                        "ibv_modify_srq",
                        DeviceConstants.NAME,
                        Errno.EINVAL,
                        closed
                                ? "The shared receive queue is closed. Create another."
                                : "The limit " + wanted + " is out of range. Use 0 to " + maxWr() + ".");
            }
            limit = wanted;
            checkLimit();
        } finally {
            domain.rnic().unlock();
        }
    }

    /** Reports once that fewer receives are posted than the limit (10.2.9.1); called under the lock. */
    void checkLimit() {
        if (receives.count() < limit) {
            limit = 0;
            domain.events().add(AsyncEventType.SRQ_LIMIT_REACHED, this);
        }
    }

    @Override
    public int queryLimit() {
        domain.rnic().lock();
        try {
            return limit;
        } finally {
            domain.rnic().unlock();
        }
    }

    @Override
    public void close() {
        domain.rnic().lock();
        try {
            if (!closed) {
                closed = true;
                queuePairs.closeAll();
                receives.clear();
                domain.events().forget(this);
                domain.memoryAndHandles().remove(this);
            }
        } finally {
            domain.rnic().unlock();
        }
    }
}
