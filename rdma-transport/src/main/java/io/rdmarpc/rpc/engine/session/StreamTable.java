package io.rdmarpc.rpc.engine.session;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one session, a bounded number at a time. A stream's number names its slot and, by its generation, tells
 * late packets of the slot's last stream from those of this one.
 *
 * <pre>
 *   number = slot + STREAMS * generation
 * </pre>
 *
 * Streams are added by any thread, found by the engine's.
 */
public final class StreamTable {

    /** Most streams of one session at a time. */
    public static final int STREAMS = 64;

    private final AtomicReferenceArray<@Nullable SessionStream> slots = new AtomicReferenceArray<>(STREAMS);

    /** Makes a stream in a free slot; null when there is none. */
    public synchronized <S extends SessionStream> @Nullable S add(IntFunction<S> maker) {
        for (int slot = 0; slot < STREAMS; slot++) {
            SessionStream last = slots.get(slot);
            if (last == null || last.isOver()) {
                S made = maker.apply(last == null ? slot : last.id() + STREAMS);
                slots.set(slot, made);
                return made;
            }
        }
        return null;
    }

    /** Puts a stream where its number says; returns the one that was there. */
    public synchronized @Nullable SessionStream put(SessionStream stream) {
        return slots.getAndSet(slot(stream.id()), stream);
    }

    @Nullable
    public SessionStream find(int id) {
        SessionStream found = slots.get(slot(id));
        return found != null && found.id() == id ? found : null;
    }

    @Nullable
    public SessionStream at(int slot) {
        return slots.get(slot);
    }

    /** Counts those that are not over. Any thread. */
    public int open() {
        int count = 0;
        for (int slot = 0; slot < STREAMS; slot++) {
            SessionStream stream = slots.get(slot);
            if (stream != null && !stream.isOver()) {
                count++;
            }
        }
        return count;
    }

    /** Tells whether there is a stream that is not over. Any thread. */
    public boolean isInUse() {
        for (int slot = 0; slot < STREAMS; slot++) {
            SessionStream stream = slots.get(slot);
            if (stream != null && !stream.isOver()) {
                return true;
            }
        }
        return false;
    }

    private static int slot(int id) {
        return Integer.remainderUnsigned(id, STREAMS);
    }
}
