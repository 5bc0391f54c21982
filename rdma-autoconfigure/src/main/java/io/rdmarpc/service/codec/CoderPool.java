package io.rdmarpc.service.codec;

import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Pool of idle coders. It is shared by all threads, because virtual threads are numerous and short-lived. It never
 * blocks: if no coder is idle, a new one is created, and surplus coders are left to the garbage collector.
 * Thread-safe.
 */
final class CoderPool {

    /** A coder with its output and input, which are reused for each message. Used by one thread at a time. */
    static final class Entry {

        final MessageCoder coder;
        final MessageOutput output;
        final MessageInput input;

        Entry(MessageCoder coder, int maxBytes) {
            this.coder = coder;
            this.output = new MessageOutput(maxBytes);
            this.input = new MessageInput(maxBytes);
        }
    }

    /** The first entry stays in this field, because passing references through a queue costs more than a flag. */
    private final AtomicBoolean firstIsFree = new AtomicBoolean(true);

    /** Owned by the thread that has acquired it, as is the content of the entry. */
    private @Nullable Entry first;

    private final Queue<Entry> idle;
    private final Supplier<Entry> factory;

    CoderPool(int capacity, Supplier<Entry> factory) {
        this.idle = new ArrayBlockingQueue<>(capacity);
        this.factory = factory;
    }

    /** Acquires a coder for one message. The caller returns it with {@link #release} or {@link #discard}. */
    Entry acquire() {
        if (firstIsFree.compareAndSet(true, false)) {
            return takeFirst();
        }
        Entry entry = idle.poll();
        return entry != null ? entry : factory.get();
    }

    private Entry takeFirst() {
        Entry entry = first;
        if (entry != null) {
            return entry;
        }
        boolean made = false;
        try {
            Entry fresh = factory.get();
            first = fresh;
            made = true;
            return fresh;
        } finally {
            if (!made) {
                firstIsFree.set(true);
            }
        }
    }

    void release(Entry entry) {
        if (isFirst(entry)) {
            firstIsFree.setRelease(true);
        } else {
            boolean _ = idle.offer(entry);
        }
    }

    /** Removes a coder that may be unusable for another message. */
    void discard(Entry entry) {
        if (isFirst(entry)) {
            first = null;
            firstIsFree.setRelease(true);
        }
    }

    /**
     * Compares with the first entry. A thread that owns another entry may read a stale value, which differs from its
     * entry.
     */
    @SuppressWarnings("ReferenceEquality") // entry identity
    private boolean isFirst(Entry entry) {
        return entry == first;
    }
}
