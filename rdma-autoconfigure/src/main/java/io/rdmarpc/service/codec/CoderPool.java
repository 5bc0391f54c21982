package io.rdmarpc.service.codec;

import io.rdmarpc.service.concurrent.PaddedIntegers;
import io.rdmarpc.service.concurrent.Stripes;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The coders of a service, one for each stripe. A coder belongs to no thread, because virtual threads are numerous and
 * short-lived. The pool never blocks. If the coder of a stripe is in use, for example by a thread that has lost its processor,
 * a thread uses that of another stripe. If all are in use, the pool creates one that is used once. Thread-safe.
 */
final class CoderPool {

    /** A coder with its output and input, which are reused for each message. Used by one thread at a time. */
    static final class Entry {

        private static final int UNPOOLED = -1;

        /** 128 bytes, because processors fetch cache lines in pairs. */
        private static final int PADDING = 32;

        final MessageCoder coder;
        final MessageOutput output;
        final MessageInput input;

        /**
         * Length of the last message of each shape that this coder has written, in bytes. Elements before and after them
         * are unused: the coder of another stripe may follow in memory.
         */
        private final int[] lastLengths;

        private int stripe = UNPOOLED;

        Entry(MessageCoder coder, int maxBytes, int shapes) {
            this.coder = coder;
            this.output = new MessageOutput(maxBytes);
            this.input = new MessageInput(maxBytes);
            this.lastLengths = new int[PADDING + shapes + PADDING];
        }

        /** Returns the length of the last message of a shape that this coder has written, in bytes, otherwise 0. */
        int lastLength(MessageShape shape) {
            return lastLengths[PADDING + shape.number()];
        }

        void lastLength(MessageShape shape, int bytes) {
            lastLengths[PADDING + shape.number()] = bytes;
        }
    }

    private static final int IDLE = 0;
    private static final int IN_USE = 1;

    /** States of the entries. A flag costs less than a reference that moves into and out of a pool. */
    private final PaddedIntegers states = new PaddedIntegers(Stripes.COUNT);

    /** An element is owned by the thread that has set its state to {@link #IN_USE}, as is the content of the entry. */
    private final @Nullable Entry[] entries = new Entry[Stripes.COUNT];

    private final Supplier<Entry> factory;

    CoderPool(Supplier<Entry> factory) {
        this.factory = factory;
    }

    /** Acquires a coder for one message. The caller returns it with {@link #release} or {@link #discard}. */
    Entry acquire() {
        int first = Stripes.current();
        for (int i = 0; i < Stripes.COUNT; i++) {
            int stripe = (first + i) & (Stripes.COUNT - 1);
            if (states.get(stripe) == IDLE && states.compareAndSet(stripe, IDLE, IN_USE)) {
                Entry entry = entries[stripe];
                return entry != null ? entry : create(stripe);
            }
        }
        return factory.get();
    }

    private Entry create(int stripe) {
        boolean created = false;
        try {
            Entry fresh = factory.get();
            fresh.stripe = stripe;
            entries[stripe] = fresh;
            created = true;
            return fresh;
        } finally {
            if (!created) {
                states.setRelease(stripe, IDLE);
            }
        }
    }

    void release(Entry entry) {
        if (entry.stripe != Entry.UNPOOLED) {
            states.setRelease(entry.stripe, IDLE);
        }
    }

    /** Removes a coder that may be unusable for another message. */
    void discard(Entry entry) {
        if (entry.stripe != Entry.UNPOOLED) {
            entries[entry.stripe] = null;
            release(entry);
        }
    }
}
