package io.rdmarpc.verbs.attributes;

import java.util.Set;

/** The rights on a memory region in addition to local reading ({@code enum ibv_access_flags}). */
public enum AccessFlag {
    /** The local device may write. Required for receives and for the target of a READ. */
    LOCAL_WRITE(1),
    /** A peer that has the rkey may write; requires {@link #LOCAL_WRITE} too. */
    REMOTE_WRITE(2),
    /** A peer that has the rkey may read. */
    REMOTE_READ(4),
    /** A peer that has the rkey may execute atomics; requires {@link #LOCAL_WRITE} too. */
    REMOTE_ATOMIC(8),
    /** Memory windows may be bound to the region. */
    MW_BIND(16),
    /**
     * Addresses in the region start at 0 instead of its virtual address. The region must then begin at a page boundary.
     */
    ZERO_BASED(32),
    /** Pages are not pinned; the device faults them in. Few devices support this. */
    ON_DEMAND(64),
    /**
     * All pages of the region are huge pages. Only useful with {@link #ON_DEMAND}; otherwise the driver detects huge
     * pages.
     */
    HUGETLB(128),
    /**
     * The PCI bus may reorder writes, which is faster on some machines. Devices that do not support it ignore the flag.
     */
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
     * Returns whether this right requires writable memory. {@link #MW_BIND} does, because a memory window may grant the
     * right to write.
     *
     * @return true if the device pins pages for writing
     */
    public boolean needsWritableMemory() {
        return switch (this) {
            case LOCAL_WRITE, REMOTE_WRITE, REMOTE_ATOMIC, MW_BIND -> true;
            case REMOTE_READ, ZERO_BASED, ON_DEMAND, HUGETLB, RELAXED_ORDERING -> false;
        };
    }

    /**
     * Combines flags to the bits of the C interface.
     *
     * @param flags the flags
     * @return the bits of all flags
     */
    public static int bits(Set<AccessFlag> flags) {
        int bits = 0;
        for (AccessFlag flag : flags) {
            bits |= flag.bit;
        }
        return bits;
    }
}
