package io.rdmarpc.verbs.soft.samehost;

import org.jspecify.annotations.Nullable;

/**
 * The grants of a peer's memory to this queue pair. A grant is valid while its entry of the key table is: the memory of
 * a registration does not move. So this side does not request that memory again. A new grant may replace another one in
 * the table.
 */
final class KnownGrants {

    private static final int SIZE = 256;
    private static final int PAGE_SHIFT = 12;
    private static final int ADDRESS_FACTOR = 0x9E37_79B9;
    private static final int KEY_SHIFT = Integer.SIZE - Integer.numberOfTrailingZeros(SIZE);

    private @Nullable Grant @Nullable [] grants;

    /** The same grants by their first address, for memory whose key was replaced. */
    private @Nullable Grant @Nullable [] byAddress;

    /**
     * A granted range.
     *
     * @param rkey its key
     * @param entry the entry of the key table, with the registration for which it stands
     * @param pages number of the peer's shared memory object that has the range
     * @param start offset of address 0 in that object
     * @param first the first address of the range
     * @param end the address after the last one
     */
    record Grant(int rkey, long entry, int pages, long start, long first, long end) {

        private boolean covers(long address, int length) {
            return first <= address && address <= end - length;
        }

        /** Returns the union of both ranges, or the other range if there is a gap between them. */
        Grant with(Grant other) {
            boolean same = entry == other.entry && pages == other.pages && start == other.start;
            boolean touches = other.first <= end && first <= other.end;
            return same && touches
                    ? new Grant(other.rkey, entry, pages, start, Math.min(first, other.first), Math.max(end, other.end))
                    : other;
        }
    }

    /** Returns the grant of a key that covers a range, or null. */
    @Nullable
    Grant find(int rkey, long address, int length) {
        Grant known = grants == null ? null : grants[indexOf(rkey)];
        return known != null && known.rkey() == rkey && known.covers(address, length) ? known : null;
    }

    /** Returns the grant, with any key, that begins at an address and covers a range, or null. */
    @Nullable
    Grant findAt(long address, int length) {
        Grant known = byAddress == null ? null : byAddress[indexOf(address)];
        return known != null && known.first() == address && known.covers(address, length) ? known : null;
    }

    void add(Grant grant) {
        if (grants == null || byAddress == null) {
            grants = new Grant[SIZE];
            byAddress = new Grant[SIZE];
        }
        int index = indexOf(grant.rkey());
        Grant known = grants[index];
        Grant added = known == null ? grant : known.with(grant);
        grants[index] = added;
        byAddress[indexOf(added.first())] = added;
    }

    /** Removes a grant whose entry is no longer valid. */
    void remove(Grant grant) {
        int index = indexOf(grant.rkey());
        if (grants != null && grant.equals(grants[index])) {
            grants[index] = null;
        }
        int slot = indexOf(grant.first());
        if (byAddress != null && grant.equals(byAddress[slot])) {
            byAddress[slot] = null;
        }
    }

    void clear() {
        grants = null;
        byAddress = null;
    }

    private static int indexOf(long address) {
        return ((int) (address >>> PAGE_SHIFT) * ADDRESS_FACTOR) >>> KEY_SHIFT;
    }

    private static int indexOf(int rkey) {
        return rkey >>> KEY_SHIFT;
    }
}
