package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.Errno;
import io.rdmarpc.verbs.VerbsException;
import io.rdmarpc.verbs.WorkCompletions;

/**
 * A ring of completions. Closing it closes the queue pairs that use it; a poll after the close answers {@code -EINVAL}. When it is full further ones are lost and, once those in it were taken, every poll fails,
 * as with hardware.
 */
final class SoftCompletionQueue implements CompletionQueue, OpenChildren.Child {

    private final SoftRnic rnic;
    private final int capacity;
    private final int mask;
    private final Entry[] entries;
    private long head;
    private long tail;
    private boolean overrun;
    private final OpenChildren queuePairs = new OpenChildren();
    private final OpenChildren siblings;
    private boolean closed;

    /** One completion. */
    private static final class Entry {
        private long wrId;
        private int status;
        private int opcode;
        private int vendorError;
        private int byteLength;
        private int immediate;
        private int qpNumber;
        private int sourceQp;
        private int flags;
    }

    SoftCompletionQueue(SoftRnic rnic, int capacity, OpenChildren siblings) {
        this.rnic = rnic;
        this.siblings = siblings;
        siblings.add(this);
        this.capacity = capacity;
        int size = Integer.highestOneBit(Math.max(1, capacity * 2 - 1));
        this.mask = size - 1;
        this.entries = new Entry[size];
        for (int i = 0; i < size; i++) {
            entries[i] = new Entry();
        }
    }

    SoftRnic rnic() {
        return rnic;
    }

    @Override
    public int capacity() {
        return capacity;
    }

    /** Adds a completion; called under the lock. */
    void add(
            long wrId,
            int status,
            int opcode,
            int vendorError,
            int byteLength,
            int immediate,
            int qpNumber,
            int sourceQp,
            int flags) {
        if (tail - head == capacity) {
            overrun = true;
            rnic.counters().countCompletionOverrun();
            return;
        }
        Entry entry = entries[(int) tail++ & mask];
        entry.wrId = wrId;
        entry.status = status;
        entry.opcode = opcode;
        entry.vendorError = vendorError;
        entry.byteLength = byteLength;
        entry.immediate = immediate;
        entry.qpNumber = qpNumber;
        entry.sourceQp = sourceQp;
        entry.flags = flags;
    }

    @Override
    public int poll(WorkCompletions into, int max) {
        rnic.lock();
        try {
            if (closed || max < 0) {
                return -Errno.EINVAL;
            }
            rnic.progress();
            int count = (int) Math.min(tail - head, Math.min(max, into.capacity()));
            for (int i = 0; i < count; i++) {
                move(entries[(int) head++ & mask], into, i);
            }
            return count == 0 && overrun ? -Errno.EIO : count;
        } finally {
            rnic.unlock();
        }
    }

    private static void move(Entry entry, WorkCompletions into, int index) {
        into.set(
                index,
                entry.wrId,
                entry.status,
                entry.opcode,
                entry.vendorError,
                entry.byteLength,
                entry.qpNumber,
                entry.sourceQp,
                entry.flags);
        into.setImmediate(index, entry.immediate);
    }

    /** Fails when it is closed; called under the lock. */
    void checkOpen(String verb) {
        if (closed) {
            throw new VerbsException(
                    verb, SoftDevice.NAME, Errno.EINVAL, "The completion queue is closed. Create another.");
        }
    }

    OpenChildren queuePairs() {
        return queuePairs;
    }

    @Override
    public void close() {
        rnic.lock();
        try {
            if (!closed) {
                closed = true;
                queuePairs.closeAll();
                siblings.remove(this);
            }
        } finally {
            rnic.unlock();
        }
    }
}
