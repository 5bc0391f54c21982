package io.rdmarpc.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * An off-heap array of {@code struct ibv_recv_wr} (infiniband/verbs.h) with one scatter/gather entry each.
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

    private static final int WR_ID = 0;
    private static final int NEXT = 8;
    private static final int SG_LIST = 16;
    private static final int NUM_SGE = 24;

    private final MemorySegment memory;
    private final long base;
    private final int capacity;
    private final long sgeBase;
    private int badIndex;

    private ReceiveRequests(MemorySegment memory, int capacity) {
        this.memory = memory;
        this.base = memory.address();
        this.capacity = capacity;
        this.sgeBase = (long) capacity * WR_BYTES;
        for (int i = 0; i < capacity; i++) {
            memory.set(ValueLayout.JAVA_LONG, at(i) + SG_LIST, base + sgeOffset(i));
            memory.set(ValueLayout.JAVA_INT, at(i) + NUM_SGE, 1);
        }
    }

    /**
     * Allocates an array of receives.
     *
     * @param arena owns the memory
     * @param capacity number of receives
     * @return the array
     */
    public static ReceiveRequests allocate(Arena arena, int capacity) {
        long bytes = (long) capacity * (WR_BYTES + SendRequests.SGE_BYTES);
        return new ReceiveRequests(arena.allocate(bytes, 64), capacity);
    }

    private static long at(int index) {
        return (long) index * WR_BYTES;
    }

    private long sgeOffset(int index) {
        return sgeBase + (long) index * SendRequests.SGE_BYTES;
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
     * Sets a receive.
     *
     * @param index which
     * @param wrId returned by its completion
     * @param address first byte of the buffer
     * @param length bytes
     * @param lkey the region's local key; the region needs {@link AccessFlag#LOCAL_WRITE}
     */
    public void set(int index, long wrId, long address, int length, int lkey) {
        memory.set(ValueLayout.JAVA_LONG, at(index) + WR_ID, wrId);
        long sge = sgeOffset(index);
        memory.set(ValueLayout.JAVA_LONG, sge, address);
        memory.set(ValueLayout.JAVA_INT, sge + 8, length);
        memory.set(ValueLayout.JAVA_INT, sge + 12, lkey);
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
     * Returns the buffer's address.
     *
     * @param index which receive
     * @return first byte
     */
    public long sgeAddress(int index) {
        return memory.get(ValueLayout.JAVA_LONG, sgeOffset(index));
    }

    /**
     * Returns the buffer's length.
     *
     * @param index which receive
     * @return bytes
     */
    public int sgeLength(int index) {
        return memory.get(ValueLayout.JAVA_INT, sgeOffset(index) + 8);
    }

    /**
     * Returns the buffer's local key.
     *
     * @param index which receive
     * @return the lkey
     */
    public int sgeLkey(int index) {
        return memory.get(ValueLayout.JAVA_INT, sgeOffset(index) + 12);
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
