package io.rdmarpc.verbs.soft.shm.layout;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The state of an inbox, which its senders read. Only the owner writes it.
 *
 * <pre>
 *   byte 0      4          64
 *        magic  addresses  state u32
 * </pre>
 *
 * The state is even while the owner is awake and odd while it sleeps. Each sleep has a different number, so that a
 * sender wakes the owner once for each sleep. All ones mean that the owner has closed the inbox.
 */
public final class InboxState {

    public static final String FILE = "state";
    public static final int BYTES = 4096;

    /** Offset of the state, for senders that read it often and know that the memory is mapped. */
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

    /** Begins a new sleep, or restarts the current one, so that senders that have rung ring again. */
    void sleep() {
        own = isAsleep(own) ? own + 2 : own + 1;
        if (isClosed(own)) {
            own = AWAKE + 1;
        }
        ShmRingLayout.INT.setVolatile(memory, STATE, own);
        // The owner then checks its rings by acquire loads, which may be reordered with a volatile store.
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

    /**
     * Returns the number of the owner's addresses, 0 if the memory has no valid state. Read once, when the state is
     * received.
     */
    int addresses() {
        boolean valid = (int) ShmRingLayout.INT.getAcquire(memory, 0L) == MAGIC;
        int addresses = (int) ShmRingLayout.INT.get(memory, ADDRESSES);
        return valid && addresses > 0 && addresses <= ShmRingLayout.MAX_ADDRESSES ? addresses : 0;
    }

    /** Returns the current state. */
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
