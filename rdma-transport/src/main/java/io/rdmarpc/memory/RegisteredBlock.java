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
    private final int lkey;
    private final int rkey;

    @SuppressWarnings("unused") // through OUT
    private volatile boolean out;

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
     * @throws BufferStateException when it was given back before
     */
    public final void free() {
        if (!OUT.compareAndSet(this, true, false)) {
            throw new BufferStateException("The block of " + ByteCount.of(capacityBytes()) + " at 0x"
                    + Long.toHexString(address) + " was freed twice: only its owner may free it, once.");
        }
        reclaim();
    }

    /** Called once per {@link #handOut()}, when the owner is done. */
    abstract void reclaim();

    /** Called by the pool before the block gets an owner. */
    final void handOut() {
        OUT.setRelease(this, true);
    }

    final boolean isOut() {
        return out;
    }
}
