package io.rdmarpc.memory;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A piece of registered memory, as the engine and the transports see it: plain numbers, no check per access. Users hold
 * a {@link MessageBuffer} instead.
 *
 * <pre>
 * address()        payloadAddress()
 *    |                |
 *    v                v
 *    +----------------+---------------------------+
 *    | headroom       | payload                   |   slab: 64 bytes of headroom, address() at a cache line
 *    +----------------+---------------------------+   others: no headroom, payload only
 *    |-payloadOffset()|------capacityBytes()------|
 *    |-----------------memory()-------------------|
 * </pre>
 *
 * <p>A block has one owner, who may use it from any one thread at a time and ends that with {@link #free()}.
 */
public abstract class RegisteredBlock {

    /** Bytes before the payload of a slab block, for the packet's header. */
    public static final int HEADROOM_BYTES = 64;

    private static final VarHandle OUT = varHandle();

    private final MemorySegment memory;
    private final MemorySegment payload;
    private final long address;
    private final int payloadOffset;
    private int lkey;
    private int rkey;

    @SuppressWarnings("unused") // through OUT
    private volatile boolean out;

    /** How much will be written over what a peer may have read; 0 once that has begun. */
    private int staleBytes;

    RegisteredBlock(MemorySegment memory, int payloadOffset, int lkey, int rkey) {
        this.memory = memory;
        this.payload = payloadOffset == 0 ? memory : memory.asSlice(payloadOffset);
        this.address = memory.address();
        this.payloadOffset = payloadOffset;
        this.lkey = lkey;
        this.rkey = rkey;
    }

    private static VarHandle varHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(RegisteredBlock.class, "out", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Returns the whole block, headroom included.
     *
     * @return always the same view
     */
    public final MemorySegment memory() {
        return memory;
    }

    /**
     * Returns the block without its headroom.
     *
     * @return always the same view, {@link #capacityBytes()} long
     */
    public final MemorySegment payload() {
        return payload;
    }

    /**
     * Returns where the block begins.
     *
     * @return the virtual address of {@link #memory()}
     */
    public final long address() {
        return address;
    }

    /**
     * Returns where the payload begins.
     *
     * @return the virtual address of {@link #payload()}
     */
    public final long payloadAddress() {
        return address + payloadOffset;
    }

    /**
     * Returns the size of the headroom.
     *
     * @return {@link #HEADROOM_BYTES} for a slab block, 0 for others
     */
    public final int payloadOffset() {
        return payloadOffset;
    }

    /**
     * Returns how much payload fits.
     *
     * @return bytes, without the headroom
     */
    public final int capacityBytes() {
        return (int) payload.byteSize();
    }

    /**
     * Returns the key for own work requests.
     *
     * @return the lkey of the block's memory region
     */
    public final int lkey() {
        return lkey;
    }

    /**
     * Returns the key a peer needs.
     *
     * @return the rkey of the block's memory region; useless to a peer unless the block is {@link #lendable()}
     */
    public final int rkey() {
        return rkey;
    }

    /**
     * Tells whether a peer may READ this block.
     *
     * @return true for the blocks of a {@link LendingPool}
     */
    public boolean lendable() {
        return false;
    }

    /**
     * Gives the block back to the pool it came from. Any thread. No work request may refer to it any more. After its
     * pool was closed there is nothing to give back and only the ownership ends.
     *
     * @throws RdmaBufferStateException when it was given back before
     */
    public final void free() {
        if (!OUT.compareAndSet(this, true, false)) {
            throw new RdmaBufferStateException("The block of " + ByteCount.of(capacityBytes()) + " at 0x"
                    + Long.toHexString(address) + " was freed twice: only its owner may free it, once.");
        }
        reclaim();
    }

    /**
     * Copies a message into the payload, all of it at once. A large one is written by whatever stores are cheapest for both ends,
     * which whoever writes to {@link #payload()} cannot choose.
     *
     * @param source where it is, native or on the heap
     * @param sourceOffset its first byte there
     * @param offset where it goes, from the payload's start
     * @param bytes how long it is
     * @throws IndexOutOfBoundsException when it does not lie in both
     */
    public final void copyFrom(MemorySegment source, long sourceOffset, int offset, int bytes) {
        if (staleBytes == 0) {
            MemorySegment.copy(source, sourceOffset, payload, offset, bytes);
        } else {
            copyOverStale(source, sourceOffset, offset, bytes);
            staleBytes = 0;
        }
    }

    /** Called by the pool when a peer may have read the block, with how much of it will be written. */
    final void becomeStale(int bytes) {
        staleBytes = bytes;
    }

    /** Called before the payload is written to in place, for the first time or again. */
    final void beforeWriting() {
        int bytes = staleBytes;
        if (bytes != 0) {
            staleBytes = 0;
            prepareStale(bytes);
        }
    }

    /** Makes the payload's first bytes cheap to write; what they hold is lost. */
    void prepareStale(int bytes) {}

    /** Copies into the payload; what else it holds is lost. */
    void copyOverStale(MemorySegment source, long sourceOffset, int offset, int bytes) {
        MemorySegment.copy(source, sourceOffset, payload, offset, bytes);
    }

    /** Called once per {@link #handOut()}, when the owner is done. */
    abstract void reclaim();

    /** Called by the pool before the block gets an owner. */
    final void handOut() {
        OUT.setRelease(this, true);
    }

    /** Takes the keys of another registration of the same memory. Called by the pool while the block has no owner. */
    final void takeKeys(int newLkey, int newRkey) {
        lkey = newLkey;
        rkey = newRkey;
    }

    final boolean isOut() {
        return out;
    }
}
