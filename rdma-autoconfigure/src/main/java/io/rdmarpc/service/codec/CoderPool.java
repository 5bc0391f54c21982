package io.rdmarpc.service.codec;

import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
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

        /** For a result, which is one value. */
        final @Nullable Object[] single = new @Nullable Object[1];

        Entry(MessageCoder coder, int maxBytes) {
            this.coder = coder;
            this.output = new MessageOutput(maxBytes);
            this.input = new MessageInput(maxBytes);
        }
    }

    private final AtomicReference<@Nullable Entry> hot = new AtomicReference<>();
    private final Queue<Entry> idle;
    private final Supplier<Entry> factory;

    CoderPool(int capacity, Supplier<Entry> factory) {
        this.idle = new ArrayBlockingQueue<>(capacity);
        this.factory = factory;
    }

    /** Takes a coder for one message; who does not give it back because it failed, loses nothing but time. */
    Entry acquire() {
        Entry entry = hot.getAndSet(null);
        if (entry == null) {
            entry = idle.poll();
        }
        return entry != null ? entry : factory.get();
    }

    void release(Entry entry) {
        if (!hot.compareAndSet(null, entry)) {
            boolean _ = idle.offer(entry);
        }
    }
}
