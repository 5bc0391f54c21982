package io.rdmarpc.rpc.engine.session;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one session, at most {@link #STREAMS} at a time. A stream's number contains its slot and a generation.
 * The generation distinguishes late packets of the slot's previous stream from those of the current one.
 *
 * <pre>
 *   number = slot + STREAMS * generation
 * </pre>
 *
 * Any thread may add a stream; the engine thread looks them up.
 */
public final class StreamTable {

    /** Maximum number of streams of one session at a time. */
    public static final int STREAMS = 64;

    private final AtomicReferenceArray<@Nullable SessionStream> slots = new AtomicReferenceArray<>(STREAMS);

    /** Creates a stream in a free slot; returns null if there is none. */
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

    /** Stores a stream in the slot of its number; returns the previous stream of that slot. */
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

    /** Returns the number of streams that are not over. Thread-safe. */
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

    /** Returns whether there is a stream that is not over. Thread-safe. */
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
