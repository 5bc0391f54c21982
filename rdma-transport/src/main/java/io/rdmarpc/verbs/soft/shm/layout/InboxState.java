package io.rdmarpc.verbs.soft.shm.layout;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The state of an inbox for its senders. Only the owner writes to it.
 *
 * <pre>
 *   byte 0      4          64
 *        magic  addresses  state u32
 * </pre>
 *
 * The state is even while the owner is awake, odd while it sleeps, and another number for each sleep: a sender wakes it once for
 * each. All ones mean that the owner has closed.
 */
public final class InboxState {

    public static final String FILE = "state";
    public static final int BYTES = 4096;

    /** Where the state is: for who looks often, and knows that the memory is there. */
    static final long STATE = 64;

    public static final int AWAKE = 0;
    private static final int CLOSED = -1;
    private static final int MAGIC = 0x49_4E_42_33;
    private static final long ADDRESSES = 4;

    private final MemorySegment memory;
    private int own = AWAKE;

    InboxState(MemorySegment memory) {
        this.memory = memory;
    }

    // ---- the owner ----

    void start(int addresses) {
        ShmRingLayout.INT.set(memory, ADDRESSES, addresses);
        ShmRingLayout.INT.setRelease(memory, 0L, MAGIC);
    }

    /** Another sleep begins, or the present one anew: senders that have rung for it ring again. */
    void sleep() {
        own = isAsleep(own) ? own + 2 : own + 1;
        if (isClosed(own)) {
            own = AWAKE + 1;
        }
        ShmRingLayout.INT.setVolatile(memory, STATE, own);
        // The owner looks at its rings once more after this. Those are acquire loads, which may pass a volatile store.
        VarHandle.fullFence();
    }

    void wake() {
        if (isAsleep(own)) {
            own++;
            ShmRingLayout.INT.setVolatile(memory, STATE, own);
        }
    }

    void close() {
        ShmRingLayout.INT.setVolatile(memory, STATE, CLOSED);
    }

    // ---- senders ----

    /** Returns how many addresses the owner has; 0 when this is no state. Read once, when it is taken. */
    int addresses() {
        boolean valid = (int) ShmRingLayout.INT.getAcquire(memory, 0L) == MAGIC;
        int addresses = (int) ShmRingLayout.INT.get(memory, ADDRESSES);
        return valid && addresses > 0 && addresses <= ShmRingLayout.MOST_ADDRESSES ? addresses : 0;
    }

    /** Returns the state as it is just now. */
    int now() {
        return (int) ShmRingLayout.INT.getOpaque(memory, STATE);
    }

    public static boolean isClosed(int state) {
        return state == CLOSED;
    }

    public static boolean isAsleep(int state) {
        return (state & 1) != 0 && state != CLOSED;
    }
}
