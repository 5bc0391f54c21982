package io.rdmarpc.verbs.soft.qp;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.wr.ReceiveRequests;

/** A ring of posted receives: of one queue pair, or shared by several. */
final class ReceiveQueue {

    private final int capacity;
    private final int maxSge;
    private final int mask;
    private final ReceiveWqe[] ring;
    private long head;
    private long tail;

    ReceiveQueue(int capacity, int maxSge) {
        this.capacity = capacity;
        this.maxSge = maxSge;
        int size = Integer.highestOneBit(Math.max(1, capacity * 2 - 1));
        this.mask = size - 1;
        this.ring = new ReceiveWqe[size];
        for (int i = 0; i < size; i++) {
            ring[i] = spare();
        }
    }

    /** Creates an entry into which {@link #take} copies. */
    ReceiveWqe spare() {
        return new ReceiveWqe(maxSge);
    }

    int capacity() {
        return capacity;
    }

    int maxSge() {
        return maxSge;
    }

    boolean isEmpty() {
        return head == tail;
    }

    int count() {
        return (int) (tail - head);
    }

    private boolean isFull() {
        return tail - head >= capacity;
    }

    /** Adds a receive; returns an error number or 0. */
    int post(ReceiveRequests requests, int index) {
        int sgeCount = requests.numSge(index);
        if (sgeCount < 0 || sgeCount > maxSge) {
            return Errno.EINVAL;
        }
        if (isFull()) {
            return Errno.ENOMEM;
        }
        ring[(int) tail++ & mask].load(requests, index);
        return 0;
    }

    /** Returns the oldest receive, which stays in the queue. */
    ReceiveWqe first() {
        return ring[(int) head & mask];
    }

    /** Removes the oldest receive after it was used in place. */
    void drop() {
        head++;
    }

    /**
     * Removes the oldest receive and copies it. To exchange the entries would cost two reference stores with a GC
     * barrier each.
     */
    void take(ReceiveWqe into) {
        into.copyFrom(first());
        head++;
    }

    void clear() {
        head = tail;
    }
}
