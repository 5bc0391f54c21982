package io.rdmarpc.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * An off-heap array of {@code struct ibv_recv_wr} (infiniband/verbs.h), each with its own scatter/gather list.
 *
 * <pre>
 *   byte 0      8      16        24        28     32
 *        wr_id  next   sg_list   num_sge   -
 * </pre>
 *
 * One thread at a time. The memory belongs to the arena given at creation.
 */
public final class ReceiveRequests {

    /** {@code sizeof(struct ibv_recv_wr)}. */
    public static final int WR_BYTES = 32;

    private static final int SGE_BYTES = SendRequests.SGE_BYTES;

    private static final int WR_ID = 0;
    private static final int NEXT = 8;
    private static final int SG_LIST = 16;
    private static final int NUM_SGE = 24;

    private final MemorySegment memory;
    private final long base;
    private final int capacity;
    private final int maxSge;
    private final long sgeBase;
    private int badIndex;

    private ReceiveRequests(MemorySegment memory, int capacity, int maxSge) {
        this.memory = memory;
        this.base = memory.address();
        this.capacity = capacity;
        this.maxSge = maxSge;
        this.sgeBase = (long) capacity * WR_BYTES;
        for (int i = 0; i < capacity; i++) {
            memory.set(ValueLayout.JAVA_LONG, at(i) + SG_LIST, base + sgeBase + (long) i * maxSge * SGE_BYTES);
            memory.set(ValueLayout.JAVA_INT, at(i) + NUM_SGE, Math.min(1, maxSge));
        }
    }

    /**
     * Allocates an array of receives with one scatter/gather entry each.
     *
     * @param arena owns the memory
     * @param capacity number of receives
     * @return the array
     */
    public static ReceiveRequests allocate(Arena arena, int capacity) {
        return allocate(arena, capacity, 1);
    }

    /**
     * Allocates an array of receives.
     *
     * @param arena owns the memory
     * @param capacity number of receives
     * @param maxSge scatter/gather entries of each
     * @return the array; each receive uses one entry until told otherwise
     */
    public static ReceiveRequests allocate(Arena arena, int capacity, int maxSge) {
        long bytes = (long) capacity * (WR_BYTES + (long) maxSge * SGE_BYTES);
        return new ReceiveRequests(arena.allocate(bytes, 64), capacity, maxSge);
    }

    /** Refuses an index outside of the array, where the lists of scatter/gather entries begin. */
    private long at(int index) {
        return (long) Objects.checkIndex(index, capacity) * WR_BYTES;
    }

    private long sgeOffset(int index, int sge) {
        return sgeBase
                + ((long) Objects.checkIndex(index, capacity) * maxSge + Objects.checkIndex(sge, maxSge)) * SGE_BYTES;
    }

    /**
     * Returns the number of receives.
     *
     * @return the capacity
     */
    public int capacity() {
        return capacity;
    }

    /**
     * Returns the C address of a receive.
     *
     * @param index which
     * @return its address
     */
    public long address(int index) {
        return base + at(index);
    }

    /**
     * Finds the index of a C address.
     *
     * @param address an address inside this array, or 0
     * @return its index, -1 for 0
     */
    public int indexOf(long address) {
        return address == 0 ? -1 : (int) ((address - base) / WR_BYTES);
    }

    /**
     * Returns the most scatter/gather entries of a receive.
     *
     * @return the number given at creation
     */
    public int maxSge() {
        return maxSge;
    }

    /**
     * Sets a receive with one buffer.
     *
     * @param index which
     * @param wrId returned by its completion
     * @param address first byte of the buffer
     * @param length bytes
     * @param lkey the region's local key; the region needs {@link AccessFlag#LOCAL_WRITE}
     */
    public void set(int index, long wrId, long address, int length, int lkey) {
        set(index, wrId, 1);
        setSge(index, 0, address, length, lkey);
    }

    /**
     * Sets what all receives have.
     *
     * @param index which
     * @param wrId returned by its completion
     * @param numSge scatter/gather entries in use; they are filled in their order
     */
    public void set(int index, long wrId, int numSge) {
        memory.set(ValueLayout.JAVA_LONG, at(index) + WR_ID, wrId);
        memory.set(ValueLayout.JAVA_INT, at(index) + NUM_SGE, numSge);
    }

    /**
     * Sets one scatter/gather entry.
     *
     * @param index which receive
     * @param sge which entry, below the maximum given at creation
     * @param address first byte of the buffer
     * @param length bytes
     * @param lkey the region's local key; the region needs {@link AccessFlag#LOCAL_WRITE}
     */
    public void setSge(int index, int sge, long address, int length, int lkey) {
        long at = sgeOffset(index, sge);
        memory.set(ValueLayout.JAVA_LONG, at, address);
        memory.set(ValueLayout.JAVA_INT, at + 8, length);
        memory.set(ValueLayout.JAVA_INT, at + 12, lkey);
    }

    /**
     * Chains neighbours to one postlist that ends at its last.
     *
     * @param first index of the first
     * @param count how many, at least 1
     */
    public void chain(int first, int count) {
        for (int i = first; i < first + count - 1; i++) {
            memory.set(ValueLayout.JAVA_LONG, at(i) + NEXT, base + at(i + 1));
        }
        memory.set(ValueLayout.JAVA_LONG, at(first + count - 1) + NEXT, 0L);
    }

    /**
     * Chains two receives anywhere in the array.
     *
     * @param index the one before
     * @param next the one after it, or -1 to end the postlist
     */
    public void setNext(int index, int next) {
        memory.set(ValueLayout.JAVA_LONG, at(index) + NEXT, next == -1 ? 0L : base + at(next));
    }

    /**
     * Returns the index of the next receive of the postlist.
     *
     * @param index the one before
     * @return the next one, -1 at the end
     */
    public int next(int index) {
        return indexOf(memory.get(ValueLayout.JAVA_LONG, at(index) + NEXT));
    }

    /**
     * Returns the identifier that the completion will carry.
     *
     * @param index which receive
     * @return its wr_id
     */
    public long wrId(int index) {
        return memory.get(ValueLayout.JAVA_LONG, at(index) + WR_ID);
    }

    /**
     * Returns the number of scatter/gather entries in use.
     *
     * @param index which receive
     * @return how many
     */
    public int numSge(int index) {
        return memory.get(ValueLayout.JAVA_INT, at(index) + NUM_SGE);
    }

    /**
     * Returns a buffer's address.
     *
     * @param index which receive
     * @param sge which entry
     * @return first byte
     */
    public long sgeAddress(int index, int sge) {
        return memory.get(ValueLayout.JAVA_LONG, sgeOffset(index, sge));
    }

    /**
     * Returns a buffer's length.
     *
     * @param index which receive
     * @param sge which entry
     * @return bytes
     */
    public int sgeLength(int index, int sge) {
        return memory.get(ValueLayout.JAVA_INT, sgeOffset(index, sge) + 8);
    }

    /**
     * Returns a buffer's local key.
     *
     * @param index which receive
     * @param sge which entry
     * @return the lkey
     */
    public int sgeLkey(int index, int sge) {
        return memory.get(ValueLayout.JAVA_INT, sgeOffset(index, sge) + 12);
    }

    /** {@return bytes of all scatter/gather entries in use} */
    long totalLength(int index) {
        long sum = 0;
        for (int sge = numSge(index) - 1; sge >= 0; sge--) {
            sum += Integer.toUnsignedLong(sgeLength(index, sge));
        }
        return sum;
    }

    /**
     * Returns where the last failed post stopped.
     *
     * @return index of the first receive that was not posted ({@code bad_wr})
     */
    public int badIndex() {
        return badIndex;
    }

    /**
     * Notes where a post stopped; called by providers.
     *
     * @param index the first receive that was not posted
     */
    public void badIndex(int index) {
        badIndex = index;
    }
}
