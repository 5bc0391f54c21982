package io.rdmarpc.verbs.soft.qp;

/** A ring of posted sends. Positions count up from 0 and never wrap. */
public final class SendWqeQueue {

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

    public boolean isEmpty() {
        return head == tail;
    }

    public boolean isFull() {
        return tail - head >= capacity;
    }

    /** Returns the free entry that the next {@link #push} adds. */
    public SendWqe free() {
        return at(tail);
    }

    public void push() {
        tail++;
    }

    /** Returns the oldest entry. */
    public SendWqe first() {
        return at(head);
    }

    public void pop() {
        head++;
    }

    public SendWqe at(long position) {
        return ring[(int) position & mask];
    }

    /** Returns the position of the oldest entry. */
    public long head() {
        return head;
    }

    /** Returns the position after the newest entry. */
    public long tail() {
        return tail;
    }

    void clear() {
        head = tail;
    }
}
