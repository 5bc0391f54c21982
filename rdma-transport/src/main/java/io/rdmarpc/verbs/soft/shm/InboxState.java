package io.rdmarpc.verbs.soft.shm;

import java.lang.foreign.MemorySegment;

/**
 * What the owner of an inbox tells its senders, and they it.
 *
 * <pre>
 *   byte 0      4          64         68        128
 *        magic  addresses  state u32  ...       rings u32: how many were ever made, counted by their senders
 * </pre>
 *
 * The state is awake, asleep (then who has sent something rings once, which is whoever changes it back) or closed.
 */
final class InboxState {

    static final String FILE = "state";
    static final int BYTES = 4096;

    /** Where the state is: for who looks often, and knows that the memory is there. */
    static final long STATE = 64;

    private static final int MAGIC = 0x49_4E_42_32;
    private static final long ADDRESSES = 4;
    private static final long RINGS = 128;

    private static final int AWAKE = 0;
    private static final int ASLEEP = 1;
    private static final int CLOSED = 2;

    private final MemorySegment memory;

    InboxState(MemorySegment memory) {
        this.memory = memory;
    }

    // ---- the owner ----

    void start(int addresses) {
        RingLayout.INT.set(memory, ADDRESSES, addresses);
        RingLayout.INT.setRelease(memory, 0L, MAGIC);
    }

    void sleep() {
        RingLayout.INT.setVolatile(memory, STATE, ASLEEP);
    }

    void wake() {
        RingLayout.INT.setVolatile(memory, STATE, AWAKE);
    }

    void close() {
        RingLayout.INT.setVolatile(memory, STATE, CLOSED);
    }

    int rings() {
        return (int) RingLayout.INT.getAcquire(memory, RINGS);
    }

    // ---- senders ----

    boolean isValid() {
        return (int) RingLayout.INT.getAcquire(memory, 0L) == MAGIC;
    }

    int addresses() {
        return (int) RingLayout.INT.get(memory, ADDRESSES);
    }

    boolean isClosed() {
        return isClosed((int) RingLayout.INT.getOpaque(memory, STATE));
    }

    static boolean isClosed(int state) {
        return state == CLOSED;
    }

    static boolean isAsleep(int state) {
        return state == ASLEEP;
    }

    /** Tells whether the owner sleeps and the caller is the one to wake it. A full fence after what was sent comes first. */
    boolean mustRing() {
        return isAsleep((int) RingLayout.INT.getOpaque(memory, STATE))
                && RingLayout.INT.compareAndSet(memory, STATE, ASLEEP, AWAKE);
    }

    void addRing() {
        int _ = (int) RingLayout.INT.getAndAdd(memory, RINGS, 1);
    }
}
