package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.Errno;
import io.rdmarpc.verbs.VerbsException;
import io.rdmarpc.verbs.WorkCompletions;

/**
 * A ring of completions. When it is full further ones are lost and, once those in it were taken, every poll fails,
 * as with hardware.
 */
final class SoftCompletionQueue implements CompletionQueue {

    private final SoftRnic rnic;
    private final int capacity;
    private final int mask;
    private final Entry[] entries;
    private long head;
    private long tail;
    private boolean overrun;
    private int users;

    /** One completion. */
    private static final class Entry {
        private long wrId;
        private int status;
        private int opcode;
        private int vendorError;
        private int byteLength;
        private int qpNumber;
        private int sourceQp;
        private int flags;
    }

    SoftCompletionQueue(SoftRnic rnic, int capacity) {
        this.rnic = rnic;
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
            long wrId, int status, int opcode, int vendorError, int byteLength, int qpNumber, int sourceQp, int flags) {
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
        entry.qpNumber = qpNumber;
        entry.sourceQp = sourceQp;
        entry.flags = flags;
    }

    @Override
    public int poll(WorkCompletions into, int max) {
        rnic.lock();
        try {
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
    }

    void retain() {
        users++;
    }

    void release() {
        users--;
    }

    @Override
    public void close() {
        rnic.lock();
        try {
            if (users > 0) {
                throw new VerbsException(
                        "ibv_destroy_cq",
                        SoftDevice.NAME,
                        Errno.EBUSY,
                        users + " queues of queue pairs still complete here. Close the queue pairs first.");
            }
        } finally {
            rnic.unlock();
        }
    }
}
