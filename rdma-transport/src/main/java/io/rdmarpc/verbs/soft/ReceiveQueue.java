package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.ReceiveRequests;

/** A ring of posted receives, each with one buffer. */
final class ReceiveQueue {

    private final int capacity;
    private final int mask;
    private final long[] wrIds;
    private final long[] addresses;
    private final int[] lengths;
    private final int[] lkeys;
    private long head;
    private long tail;

    ReceiveQueue(int capacity) {
        this.capacity = capacity;
        int size = Integer.highestOneBit(Math.max(1, capacity * 2 - 1));
        this.mask = size - 1;
        this.wrIds = new long[size];
        this.addresses = new long[size];
        this.lengths = new int[size];
        this.lkeys = new int[size];
    }

    boolean isEmpty() {
        return head == tail;
    }

    boolean isFull() {
        return tail - head >= capacity;
    }

    void push(ReceiveRequests requests, int index) {
        int at = (int) tail++ & mask;
        wrIds[at] = requests.wrId(index);
        addresses[at] = requests.sgeAddress(index);
        lengths[at] = requests.sgeLength(index);
        lkeys[at] = requests.sgeLkey(index);
    }

    private int first() {
        return (int) head & mask;
    }

    long wrId() {
        return wrIds[first()];
    }

    long address() {
        return addresses[first()];
    }

    /** Returns the buffer's length in bytes, unsigned. */
    long length() {
        return Integer.toUnsignedLong(lengths[first()]);
    }

    int lkey() {
        return lkeys[first()];
    }

    void pop() {
        head++;
    }

    void clear() {
        head = tail;
    }
}
