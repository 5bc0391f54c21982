package io.rdmarpc.verbs.soft;

/** A ring of posted sends. Positions count up from 0 and never wrap. */
final class SendWqeQueue {

    private final int capacity;
    private final int mask;
    private final SendWqe[] ring;
    private long head;
    private long tail;

    SendWqeQueue(int capacity, int maxSge, int maxInlineBytes) {
        this.capacity = capacity;
        int size = Integer.highestOneBit(Math.max(1, capacity * 2 - 1));
        this.mask = size - 1;
        this.ring = new SendWqe[size];
        for (int i = 0; i < size; i++) {
            ring[i] = new SendWqe(maxSge, maxInlineBytes);
        }
    }

    boolean isEmpty() {
        return head == tail;
    }

    boolean isFull() {
        return tail - head >= capacity;
    }

    /** Returns the entry to fill before {@link #push}. */
    SendWqe free() {
        return at(tail);
    }

    void push() {
        tail++;
    }

    /** Returns the oldest entry. */
    SendWqe first() {
        return at(head);
    }

    void pop() {
        head++;
    }

    SendWqe at(long position) {
        return ring[(int) position & mask];
    }

    /** Returns the position of the oldest entry. */
    long head() {
        return head;
    }

    /** Returns the position behind the newest entry. */
    long tail() {
        return tail;
    }

    void clear() {
        head = tail;
    }
}
