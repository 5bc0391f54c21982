package io.rdmarpc.rpc.engine.packet;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Entries of the receive ring that readers on any thread return to the engine. The queue holds numbers instead of
 * objects. A reader executes one atomic addition and one store, the engine one load. Neither stores a reference, which
 * would cost a fence with G1.
 *
 * <pre>
 *        head (engine's)      tail (readers')
 *          v                    v
 *   | 0 | 8 | 3 | 0 | 12 |  0  | 0 |      entry + 1; 0: empty
 *                 ^ its reader has this slot and is about to write
 * </pre>
 *
 * <p>The queue has room for all lent entries. An entry is lent again only after it has left the queue, so there is
 * always a free slot.
 */
final class ReturnedEntries {

    /** Returned by {@link #poll} if there is no entry. */
    static final int NONE = -1;

    private static final VarHandle SLOTS = MethodHandles.arrayElementVarHandle(int[].class);
    private static final VarHandle TAIL = tailHandle();

    private final int[] slots;
    private int head;

    @SuppressWarnings("unused") // accessed through TAIL
    private int tail;

    /** Creates an empty queue for that many lent entries. */
    ReturnedEntries(int maxLent) {
        this.slots = new int[Integer.highestOneBit(Math.max(1, 2 * maxLent - 1))];
    }

    private static VarHandle tailHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(ReturnedEntries.class, "tail", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Adds an entry that is no longer read. Thread-safe. */
    void add(int entry) {
        int slot = (int) TAIL.getAndAdd(this, 1);
        SLOTS.setRelease(slots, slot & (slots.length - 1), entry + 1);
    }

    /**
     * Returns the next entry, or {@link #NONE} if there is none or its reader has not yet written it. Engine thread
     * only.
     */
    int poll() {
        int at = head & (slots.length - 1);
        int found = (int) SLOTS.getAcquire(slots, at);
        if (found == 0) {
            return NONE;
        }
        slots[at] = 0;
        head++;
        return found - 1;
    }
}
