package io.rdmarpc.memory;

import java.util.Arrays;

/**
 * Buddy allocation of offsets. The allocator holds no memory and only does arithmetic. The space is divided into units
 * of the smallest block. A block of order <i>k</i> is 2<sup>k</sup> units long and starts at a multiple of its length.
 * The unit number of its buddy therefore differs in one bit. Allocating and freeing take O(log n) steps. Not
 * thread-safe.
 *
 * <pre>
 * unit     0    1    2    3    4    5    6    7
 *        +----+----+---------+-------------------+
 *        | A  |free|  free   |         B         |   heads: 0, 1, 2, 4
 *        +----+----+---------+-------------------+
 * state   ~0    0    1    -    ~2   -    -    -      ~k: allocated, k: free, -: inside a block
 * </pre>
 */
final class BuddyAllocator {

    /** Returned by {@link #allocate} if no free block is large enough. */
    static final int NONE = -1;

    private static final byte INSIDE = Byte.MAX_VALUE;

    private final int unitShift;
    private final int topOrder;
    private final byte[] state;
    private final int[] next;
    private final int[] previous;
    private final int[] firstFree;
    private int ordersWithFree;
    private int usedUnits;

    /**
     * @param totalBytes size of the space, a power of two
     * @param minBlockBytes size of the smallest block, a power of two up to {@code totalBytes}
     */
    BuddyAllocator(int totalBytes, int minBlockBytes) {
        if (Integer.bitCount(totalBytes) != 1 || Integer.bitCount(minBlockBytes) != 1 || totalBytes < minBlockBytes) {
            throw new IllegalArgumentException("buddy space of " + totalBytes + " bytes in blocks of " + minBlockBytes
                    + ": use powers of two, and a block no larger than the space.");
        }
        unitShift = Integer.numberOfTrailingZeros(minBlockBytes);
        int units = totalBytes >>> unitShift;
        topOrder = Integer.numberOfTrailingZeros(units);
        state = new byte[units];
        next = new int[units];
        previous = new int[units];
        firstFree = new int[topOrder + 1];
        Arrays.fill(state, INSIDE);
        Arrays.fill(firstFree, NONE);
        addFree(0, topOrder);
    }

    /** Returns the offset of a block of at least that many bytes, or {@link #NONE}. */
    int allocate(int bytes) {
        int order = orderOf(bytes);
        int from = smallestFreeOrder(order);
        if (from < 0) {
            return NONE;
        }
        int unit = firstFree[from];
        removeFree(unit, from);
        for (int k = from - 1; k >= order; k--) {
            addFree(unit + (1 << k), k);
        }
        state[unit] = (byte) ~order;
        usedUnits += 1 << order;
        return unit << unitShift;
    }

    /** Frees the block at an offset that {@link #allocate} returned, and merges it with its free buddies. */
    void free(int offset) {
        int unit = offset >>> unitShift;
        int order = allocatedOrder(offset);
        usedUnits -= 1 << order;
        state[unit] = INSIDE;
        while (order < topOrder && state[unit ^ (1 << order)] == order) {
            removeFree(unit ^ (1 << order), order);
            unit &= -(2 << order);
            order++;
        }
        addFree(unit, order);
    }

    /** Returns the length in bytes of the allocated block at that offset. */
    int blockBytes(int offset) {
        return 1 << (allocatedOrder(offset) + unitShift);
    }

    boolean fits(int bytes) {
        return smallestFreeOrder(orderOf(bytes)) >= 0;
    }

    boolean isUnused() {
        return usedUnits == 0;
    }

    int usedBytes() {
        return usedUnits << unitShift;
    }

    private int allocatedOrder(int offset) {
        int unit = offset >>> unitShift;
        if (offset < 0 || unit >= state.length || unit << unitShift != offset || state[unit] >= 0) {
            throw new IllegalStateException("no block is allocated at offset " + offset);
        }
        return ~state[unit];
    }

    /** Returns the order whose blocks hold that many bytes; it may be above {@link #topOrder}. */
    private int orderOf(int bytes) {
        int units = ((Math.max(bytes, 1) - 1) >>> unitShift) + 1;
        return Integer.SIZE - Integer.numberOfLeadingZeros(units - 1);
    }

    private int smallestFreeOrder(int atLeast) {
        int candidates = atLeast > topOrder ? 0 : ordersWithFree & (-1 << atLeast);
        return candidates == 0 ? -1 : Integer.numberOfTrailingZeros(candidates);
    }

    private void addFree(int unit, int order) {
        int head = firstFree[order];
        state[unit] = (byte) order;
        next[unit] = head;
        previous[unit] = NONE;
        if (head != NONE) {
            previous[head] = unit;
        }
        firstFree[order] = unit;
        ordersWithFree |= 1 << order;
    }

    private void removeFree(int unit, int order) {
        int before = previous[unit];
        int after = next[unit];
        state[unit] = INSIDE;
        if (after != NONE) {
            previous[after] = before;
        }
        if (before != NONE) {
            next[before] = after;
            return;
        }
        firstFree[order] = after;
        if (after == NONE) {
            ordersWithFree &= ~(1 << order);
        }
    }
}
