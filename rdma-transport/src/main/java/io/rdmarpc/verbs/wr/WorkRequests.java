package io.rdmarpc.verbs.wr;

import io.rdmarpc.verbs.attributes.AccessFlag;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * An array of work requests, each with its own scatter/gather list, in the layout of C structs. {@link #writeOut}
 * copies them to memory of an arena, where a device reads them. Send and receive requests have the same first fields in
 * C:
 *
 * <pre>
 *   byte 0    8     16       24
 *        wr_id next sg_list  num_sge
 *   struct ibv_sge, 16 bytes: addr u64, length u32, lkey u32
 * </pre>
 *
 * Not thread-safe. The memory belongs to the arena given at creation, which must stay open as long as a thread posts
 * from the array.
 */
public abstract sealed class WorkRequests permits SendRequests, ReceiveRequests {

    /** {@code sizeof(struct ibv_sge)}. */
    public static final int SGE_BYTES = 16;

    private static final int WR_ID = 0;
    private static final int NEXT = 8;
    private static final int SG_LIST = 16;
    private static final int NUM_SGE = 24;
    private static final int LENGTH = 8;
    private static final int LKEY = 12;

    final StructWords words;
    /** Binary logarithm of the size of a request in bytes. */
    private final int requestShift;

    private final long base;
    private final int capacity;
    private final int maxSge;
    private final int sgeBase;
    private int badIndex;

    /** Creates the array. The scatter/gather lists follow the requests, whose size is a power of 2. */
    WorkRequests(MemorySegment memory, int requestBytes, int capacity, int maxSge) {
        this.words = new StructWords(memory);
        this.requestShift = Integer.numberOfTrailingZeros(requestBytes);
        this.base = memory.address();
        this.capacity = capacity;
        this.maxSge = maxSge;
        this.sgeBase = capacity * requestBytes;
        for (int i = 0; i < capacity; i++) {
            words.setLong(at(i) + SG_LIST, base + sgeBase + (long) i * maxSge * SGE_BYTES);
        }
    }

    /** {@return the size in bytes of an array with its lists} */
    static long bytes(int requestBytes, int capacity, int maxSge) {
        return (long) capacity * (requestBytes + (long) maxSge * SGE_BYTES);
    }

    /** Returns the offset of a request. Rejects an index outside of the array, where the scatter/gather lists begin. */
    final int at(int index) {
        return Objects.checkIndex(index, capacity) << requestShift;
    }

    private int sgeOffset(int index, int sge) {
        return sgeBase + (Objects.checkIndex(index, capacity) * maxSge + Objects.checkIndex(sge, maxSge)) * SGE_BYTES;
    }

    /** Sets the identifier and the number of scatter/gather entries. */
    final void setHead(int at, long wrId, int numSge) {
        words.setLong(at + WR_ID, wrId);
        words.setInt(at + NUM_SGE, numSge);
    }

    /**
     * Returns the number of work requests.
     *
     * @return the capacity
     */
    public final int capacity() {
        return capacity;
    }

    /**
     * Returns the C address of a work request. Its content is that of the last {@link #writeOut}.
     *
     * @param index the work request
     * @return the address
     */
    public final long address(int index) {
        return base + at(index);
    }

    /**
     * Copies a postlist to the memory of the C structs, where a device reads it. Before that, the device does not see
     * changes.
     *
     * @param first index of the first work request of the list
     * @return the C address of that work request
     */
    public final long writeOut(int first) {
        for (int from = first; from >= 0; ) {
            int last = from;
            int next = next(last);
            while (next == last + 1) {
                last = next;
                next = next(last);
            }
            words.writeOut(at(from), (last - from + 1) << requestShift);
            words.writeOut(sgeBase + from * maxSge * SGE_BYTES, (last - from + 1) * maxSge * SGE_BYTES);
            from = next;
        }
        return address(first);
    }

    /**
     * Returns the maximum number of scatter/gather entries of a work request.
     *
     * @return the number given at creation
     */
    public final int maxSge() {
        return maxSge;
    }

    /**
     * Returns the index of a C address, such as the address that a failed post reports.
     *
     * @param address an address inside this array, or 0
     * @return the index, -1 for address 0
     */
    public final int indexOf(long address) {
        return address == 0 ? -1 : (int) ((address - base) >> requestShift);
    }

    /**
     * Sets one scatter/gather entry.
     *
     * @param index the work request
     * @param sge the entry, below the maximum given at creation
     * @param address first byte of local memory
     * @param length bytes
     * @param lkey the region's local key; a receive requires {@link AccessFlag#LOCAL_WRITE}
     */
    public final void setSge(int index, int sge, long address, int length, int lkey) {
        int at = sgeOffset(index, sge);
        words.setLong(at, address);
        words.setInt(at + LENGTH, length);
        words.setInt(at + LKEY, lkey);
    }

    /**
     * Chains consecutive work requests to one postlist, which ends at the last of them.
     *
     * @param first index of the first work request
     * @param count number of work requests, at least 1
     */
    public final void chain(int first, int count) {
        for (int i = first; i < first + count - 1; i++) {
            words.setLong(at(i) + NEXT, base + at(i + 1));
        }
        words.setLong(at(first + count - 1) + NEXT, 0L);
    }

    /**
     * Chains two work requests anywhere in the array.
     *
     * @param index the first of the two
     * @param next the second one, or -1 to end the postlist
     */
    public final void setNext(int index, int next) {
        words.setLong(at(index) + NEXT, next == -1 ? 0L : base + at(next));
    }

    /**
     * Returns the index of the next work request of the postlist.
     *
     * @param index the work request
     * @return the next index, -1 at the end
     */
    public final int next(int index) {
        return indexOf(words.getLong(at(index) + NEXT));
    }

    /**
     * Returns the identifier in the completion.
     *
     * @param index the work request
     * @return the wr_id
     */
    public final long wrId(int index) {
        return words.getLong(at(index) + WR_ID);
    }

    /**
     * Returns the number of scatter/gather entries in use.
     *
     * @param index the work request
     * @return the number of entries
     */
    public final int numSge(int index) {
        return words.getInt(at(index) + NUM_SGE);
    }

    /**
     * Returns the address of a scatter/gather entry.
     *
     * @param index the work request
     * @param sge the entry
     * @return first byte of local memory
     */
    public final long sgeAddress(int index, int sge) {
        return words.getLong(sgeOffset(index, sge));
    }

    /**
     * Returns the length of a scatter/gather entry.
     *
     * @param index the work request
     * @param sge the entry
     * @return bytes
     */
    public final int sgeLength(int index, int sge) {
        return words.getInt(sgeOffset(index, sge) + LENGTH);
    }

    /**
     * Returns the local key of a scatter/gather entry.
     *
     * @param index the work request
     * @param sge the entry
     * @return the lkey
     */
    public final int sgeLkey(int index, int sge) {
        return words.getInt(sgeOffset(index, sge) + LKEY);
    }

    /**
     * Returns the length of all scatter/gather entries in use.
     *
     * @param index the work request
     * @return bytes
     */
    public final long totalLength(int index) {
        long sum = 0;
        for (int sge = numSge(index) - 1; sge >= 0; sge--) {
            sum += Integer.toUnsignedLong(sgeLength(index, sge));
        }
        return sum;
    }

    /**
     * Returns the index at which the last failed post stopped.
     *
     * @return index of the first work request that was not posted ({@code bad_wr})
     */
    public final int badIndex() {
        return badIndex;
    }

    /**
     * Sets the index at which a post stopped; for providers.
     *
     * @param index the first work request that was not posted
     */
    public final void badIndex(int index) {
        badIndex = index;
    }
}
