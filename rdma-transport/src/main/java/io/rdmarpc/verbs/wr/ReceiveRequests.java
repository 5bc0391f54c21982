package io.rdmarpc.verbs.wr;

import io.rdmarpc.verbs.attributes.AccessFlag;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * An array of {@code struct ibv_recv_wr} (infiniband/verbs.h), each with its own scatter/gather list.
 *
 * <pre>
 *   byte 0      8      16        24        28     32
 *        wr_id  next   sg_list   num_sge   -
 * </pre>
 *
 * Not thread-safe. The memory belongs to the arena given at creation.
 */
public final class ReceiveRequests extends WorkRequests {

    /** {@code sizeof(struct ibv_recv_wr)}. */
    public static final int WR_BYTES = 32;

    private ReceiveRequests(MemorySegment memory, int capacity, int maxSge) {
        super(memory, WR_BYTES, capacity, maxSge);
        for (int i = 0; i < capacity; i++) {
            setHead(at(i), 0, Math.min(1, maxSge));
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
     * @param maxSge maximum number of scatter/gather entries of each receive
     * @return the array; each receive uses one entry unless {@link #set(int, long, int)} sets another number
     */
    public static ReceiveRequests allocate(Arena arena, int capacity, int maxSge) {
        return new ReceiveRequests(arena.allocate(bytes(WR_BYTES, capacity, maxSge), 64), capacity, maxSge);
    }

    /**
     * Sets a receive with one buffer.
     *
     * @param index the receive
     * @param wrId the identifier in the completion
     * @param address first byte of the buffer
     * @param length bytes
     * @param lkey the region's local key; the region requires {@link AccessFlag#LOCAL_WRITE}
     */
    public void set(int index, long wrId, long address, int length, int lkey) {
        set(index, wrId, 1);
        setSge(index, 0, address, length, lkey);
    }

    /**
     * Sets the fields that all receives have.
     *
     * @param index the receive
     * @param wrId the identifier in the completion
     * @param numSge number of scatter/gather entries in use; a message fills them in order
     */
    public void set(int index, long wrId, int numSge) {
        setHead(at(index), wrId, numSge);
    }
}
