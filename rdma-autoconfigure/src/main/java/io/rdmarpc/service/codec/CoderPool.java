package io.rdmarpc.service.codec;

import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps idle coders: not per thread, since virtual threads come and go by the million. Never blocks; when none is idle a new
 * one is made, and what the pool cannot hold is left to the garbage collector. Any thread.
 */
final class CoderPool {

    /** A coder with what it writes to and reads from, message after message. One thread at a time. */
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

    /** The first one stays here: to pass references to and fro costs more than to say that it is in use. */
    private final AtomicBoolean firstIsFree = new AtomicBoolean(true);

    /** Belongs to who has taken it, like what is in it. */
    private @Nullable Entry first;

    private final Queue<Entry> idle;
    private final Supplier<Entry> factory;

    CoderPool(int capacity, Supplier<Entry> factory) {
        this.idle = new ArrayBlockingQueue<>(capacity);
        this.factory = factory;
    }

    /** Takes a coder for one message, to be given back by {@link #release} or {@link #discard}. */
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

    /** Of one that may not be fit for another message. */
    void discard(Entry entry) {
        if (isFirst(entry)) {
            first = null;
            firstIsFree.setRelease(true);
        }
    }

    /** Who has another one may see an older first one, or none: it has neither. */
    @SuppressWarnings("ReferenceEquality") // that very one
    private boolean isFirst(Entry entry) {
        return entry == first;
    }
}
