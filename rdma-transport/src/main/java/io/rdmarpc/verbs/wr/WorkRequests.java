package io.rdmarpc.verbs.wr;

import io.rdmarpc.verbs.attributes.AccessFlag;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * An array of work requests, each with its own scatter/gather list, as C structs that a provider writes to the memory of an arena
 * when a device is to see them ({@link #writeOut}). Those to send and those to receive begin alike in C:
 *
 * <pre>
 *   byte 0    8     16       24
 *        wr_id next sg_list  num_sge
 *   struct ibv_sge, 16 bytes: addr u64, length u32, lkey u32
 * </pre>
 *
 * One thread at a time. The memory belongs to the arena given at creation and must live as long as anybody posts from it.
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
    /** Log 2 of the bytes of a request. */
    private final int requestShift;

    private final long base;
    private final int capacity;
    private final int maxSge;
    private final int sgeBase;
    private int badIndex;

    /** Lays the lists of scatter/gather entries behind the requests, whose size is a power of 2. */
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

    /** {@return bytes of an array with its lists} */
    static long bytes(int requestBytes, int capacity, int maxSge) {
        return (long) capacity * (requestBytes + (long) maxSge * SGE_BYTES);
    }

    /** Refuses an index outside of the array, where the lists of scatter/gather entries begin. */
    final int at(int index) {
        return Objects.checkIndex(index, capacity) << requestShift;
    }

    private int sgeOffset(int index, int sge) {
        return sgeBase + (Objects.checkIndex(index, capacity) * maxSge + Objects.checkIndex(sge, maxSge)) * SGE_BYTES;
    }

    /** Sets what the completion carries, and how many entries count. */
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
     * Returns the C address of a work request; what stands there was written by {@link #writeOut}.
     *
     * @param index which
     * @return its address
     */
    public final long address(int index) {
        return base + at(index);
    }

    /**
     * Writes a chain into the memory of the C structs, where a device finds it: before that, what was set is only known here.
     *
     * @param first index of the first work request of a chain
     * @return its C address
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
     * Returns the most scatter/gather entries of a work request.
     *
     * @return the number given at creation
     */
    public final int maxSge() {
        return maxSge;
    }

    /**
     * Finds the index of a C address, such as the one a failed post reports.
     *
     * @param address an address inside this array, or 0
     * @return its index, -1 for 0
     */
    public final int indexOf(long address) {
        return address == 0 ? -1 : (int) ((address - base) >> requestShift);
    }

    /**
     * Sets one scatter/gather entry.
     *
     * @param index which work request
     * @param sge which entry, below the maximum given at creation
     * @param address first byte of local memory
     * @param length bytes
     * @param lkey the region's local key; to receive into, it needs {@link AccessFlag#LOCAL_WRITE}
     */
    public final void setSge(int index, int sge, long address, int length, int lkey) {
        int at = sgeOffset(index, sge);
        words.setLong(at, address);
        words.setInt(at + LENGTH, length);
        words.setInt(at + LKEY, lkey);
    }

    /**
     * Chains neighbours to one postlist that ends at its last.
     *
     * @param first index of the first
     * @param count how many, at least 1
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
     * @param index the one before
     * @param next the one after it, or -1 to end the postlist
     */
    public final void setNext(int index, int next) {
        words.setLong(at(index) + NEXT, next == -1 ? 0L : base + at(next));
    }

    /**
     * Returns the index of the next work request of the postlist.
     *
     * @param index the one before
     * @return the next one, -1 at the end
     */
    public final int next(int index) {
        return indexOf(words.getLong(at(index) + NEXT));
    }

    /**
     * Returns the identifier that the completion will carry.
     *
     * @param index which work request
     * @return its wr_id
     */
    public final long wrId(int index) {
        return words.getLong(at(index) + WR_ID);
    }

    /**
     * Returns the number of scatter/gather entries in use.
     *
     * @param index which work request
     * @return how many
     */
    public final int numSge(int index) {
        return words.getInt(at(index) + NUM_SGE);
    }

    /**
     * Returns the address of a scatter/gather entry.
     *
     * @param index which work request
     * @param sge which entry
     * @return first byte of local memory
     */
    public final long sgeAddress(int index, int sge) {
        return words.getLong(sgeOffset(index, sge));
    }

    /**
     * Returns the length of a scatter/gather entry.
     *
     * @param index which work request
     * @param sge which entry
     * @return bytes
     */
    public final int sgeLength(int index, int sge) {
        return words.getInt(sgeOffset(index, sge) + LENGTH);
    }

    /**
     * Returns the local key of a scatter/gather entry.
     *
     * @param index which work request
     * @param sge which entry
     * @return the lkey
     */
    public final int sgeLkey(int index, int sge) {
        return words.getInt(sgeOffset(index, sge) + LKEY);
    }

    /**
     * Returns the length of all scatter/gather entries in use.
     *
     * @param index which work request
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
     * Returns where the last failed post stopped.
     *
     * @return index of the first work request that was not posted ({@code bad_wr})
     */
    public final int badIndex() {
        return badIndex;
    }

    /**
     * Notes where a post stopped; called by providers.
     *
     * @param index the first work request that was not posted
     */
    public final void badIndex(int index) {
        badIndex = index;
    }
}
