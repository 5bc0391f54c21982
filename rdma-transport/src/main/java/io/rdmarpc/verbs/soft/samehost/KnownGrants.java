package io.rdmarpc.verbs.soft.samehost;

import org.jspecify.annotations.Nullable;

/**
 * Where a peer's memory was granted to this queue pair: while the entry of the key table that was granted with it holds, the peer
 * need not be asked again, for where that registration's memory is does not change. What finds no room replaces another.
 */
final class KnownGrants {

    private static final int SIZE = 256;
    private static final int PAGE_SHIFT = 12;
    private static final int ADDRESS_FACTOR = 0x9E37_79B9;
    private static final int KEY_SHIFT = Integer.SIZE - Integer.numberOfTrailingZeros(SIZE);

    private @Nullable Grant @Nullable [] grants;

    /** The same ones by their first addresses, for memory whose key was replaced. */
    private @Nullable Grant @Nullable [] byAddress;

    /**
     * A range that was granted.
     *
     * @param rkey its key
     * @param entry which entry of the key table stands for it, and for which registration
     * @param pages which piece of the peer's memory it is in
     * @param start where in that piece address 0 would be
     * @param first the first address
     * @param end the address behind the last one
     */
    record Grant(int rkey, long entry, int pages, long start, long first, long end) {

        private boolean covers(long address, int length) {
            return first <= address && address <= end - length;
        }

        /** Returns both ranges as one, or the other one alone where there is a gap between them. */
        Grant with(Grant other) {
            boolean same = entry == other.entry && pages == other.pages && start == other.start;
            boolean touches = other.first <= end && first <= other.end;
            return same && touches
                    ? new Grant(other.rkey, entry, pages, start, Math.min(first, other.first), Math.max(end, other.end))
                    : other;
        }
    }

    /** Returns what is known of a key and covers a range, or null. */
    @Nullable
    Grant find(int rkey, long address, int length) {
        Grant known = grants == null ? null : grants[indexOf(rkey)];
        return known != null && known.rkey() == rkey && known.covers(address, length) ? known : null;
    }

    /** Returns what is known of memory that begins at an address and covers a range, whatever its key was then, or null. */
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

    /** Forgets one whose entry does not hold any more. */
    void remove(Grant grant) {
        int index = indexOf(grant.rkey());
        if (grants != null && grant.equals(grants[index])) {
            grants[index] = null;
        }
        int place = indexOf(grant.first());
        if (byAddress != null && grant.equals(byAddress[place])) {
            byAddress[place] = null;
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
