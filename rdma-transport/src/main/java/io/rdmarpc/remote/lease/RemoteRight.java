package io.rdmarpc.remote.lease;

import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.verbs.attributes.AccessFlag;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the holder of a region may do with it. The owner's NIC enforces all but {@link #NOTIFY}, which it does not know: a
 * holder with {@link #WRITE} that breaks the rules can have the listener of another of its own regions told.
 */
public enum RemoteRight {
    /** {@link RemoteRegion#read}. */
    READ(1, AccessFlag.REMOTE_READ),
    /** {@link RemoteRegion#write}. */
    WRITE(2, AccessFlag.REMOTE_WRITE),
    /** {@link RemoteRegion#compareAndSwap} and {@link RemoteRegion#getAndAdd}. */
    ATOMIC(4, AccessFlag.REMOTE_ATOMIC),
    /** {@link RemoteRegion#writeWithNotify}, together with {@link #WRITE}. */
    NOTIFY(8, null);

    /** All of them. */
    public static final Set<RemoteRight> ALL = Collections.unmodifiableSet(EnumSet.allOf(RemoteRight.class));

    /** All but {@link #NOTIFY}: what memory is allocated with unless the caller names rights. */
    public static final Set<RemoteRight> USUAL = Collections.unmodifiableSet(EnumSet.of(READ, WRITE, ATOMIC));

    private final int bit;
    private final @Nullable AccessFlag flag;

    RemoteRight(int bit, @Nullable AccessFlag flag) {
        this.bit = bit;
        this.flag = flag;
    }

    /**
     * Encodes rights as peers do.
     *
     * @param rights some rights
     * @return a bit for each: READ 1, WRITE 2, ATOMIC 4, NOTIFY 8
     */
    public static int bits(Set<RemoteRight> rights) {
        return rights.stream().mapToInt(right -> right.bit).sum();
    }

    /**
     * Decodes rights of a peer.
     *
     * @param bits as {@link #bits} returns them; unknown ones are left out
     * @return the rights
     */
    public static Set<RemoteRight> ofBits(int bits) {
        EnumSet<RemoteRight> rights = EnumSet.noneOf(RemoteRight.class);
        for (RemoteRight right : ALL) {
            if ((bits & right.bit) != 0) {
                rights.add(right);
            }
        }
        return Collections.unmodifiableSet(rights);
    }

    /**
     * Returns the access flags of memory with these rights.
     *
     * @param rights what a holder may do
     * @return the flags, LOCAL_WRITE with those that need it
     */
    public static Set<AccessFlag> access(Set<RemoteRight> rights) {
        EnumSet<AccessFlag> access = EnumSet.noneOf(AccessFlag.class);
        for (RemoteRight right : rights) {
            AccessFlag flag = right.flag;
            if (flag != null) {
                access.add(flag);
                if (flag.needsWritableMemory()) {
                    access.add(AccessFlag.LOCAL_WRITE);
                }
            }
        }
        return access;
    }
}
