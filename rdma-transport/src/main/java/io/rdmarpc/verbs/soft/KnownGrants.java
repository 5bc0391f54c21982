package io.rdmarpc.verbs.soft;

import org.jspecify.annotations.Nullable;

/**
 * Where a peer's memory was granted to this queue pair: who has a valid key of it need not ask again. A key is never that of
 * another registration, and where a registration's memory is does not change. What finds no room replaces another.
 */
final class KnownGrants {

    private static final int SIZE = 256;
    private static final int SLOT_SHIFT = 16;

    private @Nullable Grant @Nullable [] grants;

    /**
     * A range that was granted.
     *
     * @param rkey its key
     * @param pages which piece of the peer's memory it is in
     * @param start where in that piece address 0 would be
     * @param first the first address
     * @param end the address behind the last one
     */
    record Grant(int rkey, int pages, long start, long first, long end) {

        boolean covers(long address, int length) {
            return first <= address && address <= end - length;
        }

        /** Returns both ranges as one, or the other one alone where there is a gap between them. */
        Grant with(Grant other) {
            boolean same = rkey == other.rkey && pages == other.pages && start == other.start;
            boolean touches = other.first <= end && first <= other.end;
            return same && touches
                    ? new Grant(rkey, pages, start, Math.min(first, other.first), Math.max(end, other.end))
                    : other;
        }
    }

    /** Returns what is known of a key and covers a range, or null. */
    @Nullable
    Grant find(int rkey, long address, int length) {
        Grant known = grants == null ? null : grants[indexOf(rkey)];
        return known != null && known.rkey() == rkey && known.covers(address, length) ? known : null;
    }

    void add(Grant grant) {
        if (grants == null) {
            grants = new Grant[SIZE];
        }
        int index = indexOf(grant.rkey());
        Grant known = grants[index];
        grants[index] = known == null ? grant : known.with(grant);
    }

    void clear() {
        grants = null;
    }

    private static int indexOf(int rkey) {
        return rkey >>> SLOT_SHIFT & SIZE - 1;
    }
}
