package io.rdmarpc.verbs.soft;

import org.jspecify.annotations.Nullable;

/**
 * Where a peer's memory was granted to this queue pair: who has a valid key of the same registration need not ask again, for where
 * that one's memory is does not change. What finds no room replaces another.
 */
final class KnownGrants {

    private static final int SIZE = 256;
    private static final int SLOT_SHIFT = 16;

    private @Nullable Grant @Nullable [] grants;

    /**
     * A range that was granted.
     *
     * @param rkey its key
     * @param registration which one of the peer's the key is of
     * @param pages which piece of the peer's memory it is in
     * @param start where in that piece address 0 would be
     * @param first the first address
     * @param end the address behind the last one
     */
    record Grant(int rkey, int registration, int pages, long start, long first, long end) {

        private boolean covers(long address, int length) {
            return first <= address && address <= end - length;
        }

        private boolean isOf(int key, int number) {
            return rkey == key && registration == number;
        }

        /** Returns both ranges as one, or the other one alone where there is a gap between them. */
        Grant with(Grant other) {
            boolean same = other.isOf(rkey, registration) && pages == other.pages && start == other.start;
            boolean touches = other.first <= end && first <= other.end;
            return same && touches
                    ? new Grant(
                            rkey, registration, pages, start, Math.min(first, other.first), Math.max(end, other.end))
                    : other;
        }
    }

    /** Returns what is known of a key and covers a range, or null. */
    @Nullable
    Grant find(int rkey, int registration, long address, int length) {
        Grant known = grants == null ? null : grants[indexOf(rkey)];
        return known != null && known.isOf(rkey, registration) && known.covers(address, length) ? known : null;
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
