package io.rdmarpc.rpc.control;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many packets peers may send before the engine looks: the sum of all windows stays within the receive ring, so that
 * none is dropped for want of a receive. Any thread.
 */
final class ReceiveBudget {

    /** Room for repeated packets and hints, which are not counted. */
    static final int SPARE = 8;

    private final int limit;
    private final AtomicInteger reserved = new AtomicInteger();

    ReceiveBudget(int receiveDepth) {
        this.limit = receiveDepth - SPARE;
    }

    boolean reserve(int window) {
        int now = reserved.addAndGet(window);
        if (now <= limit) {
            return true;
        }
        reserved.addAndGet(-window);
        return false;
    }

    void release(int window) {
        reserved.addAndGet(-window);
    }

    int limit() {
        return limit;
    }

    int reserved() {
        return reserved.get();
    }
}
