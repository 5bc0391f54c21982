package io.rdmarpc.verbs.soft.qp;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.wr.ReceiveRequests;

/** A ring of posted receives: a queue pair's own, or one that several share. */
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

    /** Makes an entry for {@link #take} to copy others to. */
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

    /** Adds a receive; returns an error number. */
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

    /** Takes the oldest receive out, which was used where it is. */
    void drop() {
        head++;
    }

    /** Takes the oldest receive out. A copy costs less than two references that are stored, with a fence each. */
    void take(ReceiveWqe into) {
        into.copyFrom(first());
        head++;
    }

    void clear() {
        head = tail;
    }
}
