package io.rdmarpc.verbs.attributes;

import java.util.Set;

/** What may be done with a memory region besides local reading ({@code enum ibv_access_flags}). */
public enum AccessFlag {
    /** The local device may write: needed for receives and for the target of a READ. */
    LOCAL_WRITE(1),
    /** A peer that knows the rkey may write; needs {@link #LOCAL_WRITE} too. */
    REMOTE_WRITE(2),
    /** A peer that knows the rkey may read. */
    REMOTE_READ(4),
    /** A peer that knows the rkey may run atomics; needs {@link #LOCAL_WRITE} too. */
    REMOTE_ATOMIC(8),
    /** Memory windows may be bound to it. */
    MW_BIND(16),
    /** Work requests and peers address it from 0 instead of by its virtual address. It must begin at a page then. */
    ZERO_BASED(32),
    /** Pages are not pinned; the device faults them in. Few devices can. */
    ON_DEMAND(64),
    /** All of it lies on huge pages; of use together with {@link #ON_DEMAND}, otherwise the driver finds out itself. */
    HUGETLB(128),
    /** The PCI bus may reorder writes: faster on some machines. Ignored where it is not known. */
    RELAXED_ORDERING(1 << 20);

    private final int bit;

    AccessFlag(int bit) {
        this.bit = bit;
    }

    /**
     * Returns the C value.
     *
     * @return the {@code IBV_ACCESS_*} bit
     */
    public int bit() {
        return bit;
    }

    /**
     * Tells whether memory must be writable for this right. Memory windows may give the right to write, so being bound
     * to them needs it too.
     *
     * @return true when the device pins pages for writing
     */
    public boolean needsWritableMemory() {
        return switch (this) {
            case LOCAL_WRITE, REMOTE_WRITE, REMOTE_ATOMIC, MW_BIND -> true;
            case REMOTE_READ, ZERO_BASED, ON_DEMAND, HUGETLB, RELAXED_ORDERING -> false;
        };
    }

    /**
     * Combines flags as the C interface wants them.
     *
     * @param flags the flags
     * @return the bits of all of them
     */
    public static int bits(Set<AccessFlag> flags) {
        int bits = 0;
        for (AccessFlag flag : flags) {
            bits |= flag.bit;
        }
        return bits;
    }
}
