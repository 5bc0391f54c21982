package io.rdmarpc.memory;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A block of registered memory for the engine and the transports. It exposes plain addresses and keys without a check
 * per access. Users hold a {@link MessageBuffer} instead.
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
 * <p>A block has one owner, which may use it on one thread at a time and ends the ownership with {@link #free()}.
 */
public abstract class RegisteredBlock {

    /** Number of bytes before the payload of a slab block, for the packet's header. */
    public static final int HEADROOM_BYTES = 64;

    private static final VarHandle IN_USE = varHandle();

    private final MemorySegment memory;
    private final MemorySegment payload;
    private final long address;
    private final int payloadOffset;
    private int lkey;
    private int rkey;

    @SuppressWarnings("unused") // accessed through IN_USE
    private volatile boolean inUse;

    /** Number of bytes that will overwrite memory that a peer may have read; 0 once that write has begun. */
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
            return MethodHandles.lookup().findVarHandle(RegisteredBlock.class, "inUse", boolean.class);
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
     * Returns the address of the block.
     *
     * @return the virtual address of {@link #memory()}
     */
    public final long address() {
        return address;
    }

    /**
     * Returns the address of the payload.
     *
     * @return the virtual address of {@link #payload()}
     */
    public final long payloadAddress() {
        return address + payloadOffset;
    }

    /**
     * Returns the size of the headroom.
     *
     * @return {@link #HEADROOM_BYTES} for a slab block, 0 for other blocks
     */
    public final int payloadOffset() {
        return payloadOffset;
    }

    /**
     * Returns the capacity for payload.
     *
     * @return number of bytes, without the headroom
     */
    public final int capacityBytes() {
        return (int) payload.byteSize();
    }

    /**
     * Returns the key for local work requests.
     *
     * @return the lkey of the block's memory region
     */
    public final int lkey() {
        return lkey;
    }

    /**
     * Returns the key that a peer needs.
     *
     * @return the rkey of the block's memory region; useless to a peer unless the block is {@link #lendable()}
     */
    public final int rkey() {
        return rkey;
    }

    /**
     * Returns whether a peer may READ this block.
     *
     * @return true for the blocks of a {@link LendingPool}
     */
    public boolean lendable() {
        return false;
    }

    /**
     * Returns the block to its pool. Thread-safe. The caller ensures that no work request refers to it. After the pool
     * was closed, this call only ends the ownership.
     *
     * @throws RdmaBufferStateException if the block was freed before
     */
    public final void free() {
        if (!IN_USE.compareAndSet(this, true, false)) {
            throw new RdmaBufferStateException("The block of " + ByteCount.of(capacityBytes()) + " at 0x"
                    + Long.toHexString(address) + " was already freed. Only its owner may free it, once.");
        }
        reclaim();
    }

    /**
     * Copies a message into the payload in one operation. For a large message the device chooses the store instructions
     * that are cheapest for both peers. Writing to {@link #payload()} does not offer that choice.
     *
     * @param source memory of the message, native or on the heap
     * @param sourceOffset offset of its first byte there
     * @param offset offset of the copy in the payload
     * @param bytes length of the message
     * @throws IndexOutOfBoundsException if the message does not lie within both
     */
    public final void copyFrom(MemorySegment source, long sourceOffset, int offset, int bytes) {
        if (staleBytes == 0) {
            MemorySegment.copy(source, sourceOffset, payload, offset, bytes);
        } else {
            copyOverStale(source, sourceOffset, offset, bytes);
            staleBytes = 0;
        }
    }

    /** Called by the pool when a peer may have read the block, with the number of bytes that will be written. */
    final void becomeStale(int bytes) {
        staleBytes = bytes;
    }

    /** Called before a write to the payload in place, for the first time or again. */
    final void beforeWriting() {
        int bytes = staleBytes;
        if (bytes != 0) {
            staleBytes = 0;
            prepareStale(bytes);
        }
    }

    /** Makes the payload's first bytes cheap to write; their content is lost. */
    void prepareStale(int bytes) {}

    /** Copies into the payload; its other content is lost. */
    void copyOverStale(MemorySegment source, long sourceOffset, int offset, int bytes) {
        MemorySegment.copy(source, sourceOffset, payload, offset, bytes);
    }

    /** Called once per {@link #handOut()}, when the owner frees the block. */
    abstract void reclaim();

    /** Called by the pool before the block gets an owner. */
    final void handOut() {
        IN_USE.setRelease(this, true);
    }

    /** Sets the keys of another registration of the same memory. Called by the pool while the block has no owner. */
    final void takeKeys(int newLkey, int newRkey) {
        lkey = newLkey;
        rkey = newRkey;
    }

    final boolean isInUse() {
        return inUse;
    }
}
