package io.rdmarpc.rpc.engine.packet;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Entries of the receive ring on their way back, from readers on any threads to the engine. Numbers, not objects: a reader does one
 * atomic addition and one store, the engine a load, and neither stores references, which cost fences with G1.
 *
 * <pre>
 *        head (engine's)      tail (readers')
 *          v                    v
 *   | 0 | 8 | 3 | 0 | 12 |  0  | 0 |      entry + 1; 0: not yet, or no more
 *                 ^ its reader has this place and is about to write
 * </pre>
 *
 * <p>There is room for as many as are lent, and an entry is lent again only after it has left, so there always is a free place.
 */
final class ReturnedEntries {

    /** Returned by {@link #poll} for none. */
    static final int NONE = -1;

    private static final VarHandle PLACES = MethodHandles.arrayElementVarHandle(int[].class);
    private static final VarHandle TAIL = tailHandle();

    private final int[] places;
    private int head;

    @SuppressWarnings("unused") // through TAIL
    private int tail;

    /** Makes an empty queue for so many entries that are lent at a time. */
    ReturnedEntries(int mostLent) {
        this.places = new int[Integer.highestOneBit(Math.max(1, 2 * mostLent - 1))];
    }

    private static VarHandle tailHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(ReturnedEntries.class, "tail", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** An entry that was lent is not read any more. Any thread. */
    void add(int entry) {
        int place = (int) TAIL.getAndAdd(this, 1);
        PLACES.setRelease(places, place & (places.length - 1), entry + 1);
    }

    /** The next entry; {@link #NONE} when there is none, or its reader is about to write it. Engine thread only. */
    int poll() {
        int at = head & (places.length - 1);
        int found = (int) PLACES.getAcquire(places, at);
        if (found == 0) {
            return NONE;
        }
        places[at] = 0;
        head++;
        return found - 1;
    }
}
