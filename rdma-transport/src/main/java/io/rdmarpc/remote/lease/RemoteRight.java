package io.rdmarpc.remote.lease;

import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.verbs.attributes.AccessFlag;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A right of the holder of a region. The owner's NIC enforces all rights except {@link #NOTIFY}: a misbehaving holder
 * with {@link #WRITE} can trigger the listener of another region that it holds.
 */
public enum RemoteRight {
    /** Allows {@link RemoteRegion#read}. */
    READ(1, AccessFlag.REMOTE_READ),
    /** Allows {@link RemoteRegion#write}. */
    WRITE(2, AccessFlag.REMOTE_WRITE),
    /** Allows {@link RemoteRegion#compareAndSwap} and {@link RemoteRegion#getAndAdd}. */
    ATOMIC(4, AccessFlag.REMOTE_ATOMIC),
    /** Allows {@link RemoteRegion#writeWithNotify}, together with {@link #WRITE}. */
    NOTIFY(8, null);

    /** All rights. */
    public static final Set<RemoteRight> ALL = Collections.unmodifiableSet(EnumSet.allOf(RemoteRight.class));

    /** All rights except {@link #NOTIFY}: the default of allocations. */
    public static final Set<RemoteRight> USUAL = Collections.unmodifiableSet(EnumSet.of(READ, WRITE, ATOMIC));

    private final int bit;
    private final @Nullable AccessFlag flag;

    RemoteRight(int bit, @Nullable AccessFlag flag) {
        this.bit = bit;
        this.flag = flag;
    }

    /**
     * Encodes rights for messages between peers.
     *
     * @param rights the rights
     * @return a bit for each: READ 1, WRITE 2, ATOMIC 4, NOTIFY 8
     */
    public static int bits(Set<RemoteRight> rights) {
        return rights.stream().mapToInt(right -> right.bit).sum();
    }

    /**
     * Decodes rights of a peer.
     *
     * @param bits as {@link #bits} returns them; unknown bits are ignored
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
     * Returns the access flags for memory with these rights.
     *
     * @param rights the rights of the holder
     * @return the access flags, with LOCAL_WRITE if a right needs it
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
