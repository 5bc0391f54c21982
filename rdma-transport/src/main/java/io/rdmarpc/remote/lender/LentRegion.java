package io.rdmarpc.remote.lender;

import io.rdmarpc.remote.lease.RemoteMemorySnapshot;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.wire.LinkMessage;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Memory lent to one peer until a deadline. Its end has one order: the key dies at the NIC, what the peer has said by then
 * is told, and when no listener has the memory before it any more, it is free. Control thread.
 */
public final class LentRegion {

    private static final int NO_SLOT = -1;

    private final long id;
    private final LeaseHolder holder;
    private final Set<RemoteRight> rights;
    private final MemoryRegion region;
    private final Runnable free;
    private final @Nullable LocalGrant grant;
    private long deadlineNanos;
    private int slot = NO_SLOT;

    /**
     * Begins the lease.
     *
     * @param id names it on the link
     * @param holder who may use it
     * @param rights how
     * @param region the registration, which is the peer's alone
     * @param free gives the memory back when the NIC has forgotten it
     * @param grant which grant was opened, null for an allocation
     */
    public LentRegion(
            long id,
            LeaseHolder holder,
            Set<RemoteRight> rights,
            MemoryRegion region,
            Runnable free,
            @Nullable LocalGrant grant) {
        this.id = id;
        this.holder = holder;
        this.rights = rights;
        this.region = region;
        this.free = free;
        this.grant = grant;
    }

    public long id() {
        return id;
    }

    public LeaseHolder holder() {
        return holder;
    }

    long bytes() {
        return region.byteSize();
    }

    public @Nullable LocalGrant grant() {
        return grant;
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    /** Not while it is in a {@link LeaseTable}. */
    void deadline(long nanos) {
        deadlineNanos = nanos;
    }

    /** Begins with notices, if it was lent with them. */
    void takeNotifications() {
        if (rights.contains(RemoteRight.NOTIFY)) {
            slot = holder.addNotifications(this);
        }
    }

    /** What a listener sees. Any thread. */
    public MemorySegment memory() {
        return region.segment();
    }

    RemoteMemorySnapshot.Lent describeAt(long now) {
        return new RemoteMemorySnapshot.Lent(
                id, holder.account(), bytes(), rights, LeaseTable.remaining(deadlineNanos, now), grant != null);
    }

    LinkMessage.Lent describe(long leaseNanos) {
        return new LinkMessage.Lent(
                id, region.address(), region.byteSize(), region.rkey(), rights, Math.max(0, slot), leaseNanos);
    }

    /**
     * Makes the key invalid. Blocks.
     *
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException when the device keeps the key: then the memory is never used again; with {@code EBUSY}
     *     when a peer has stopped while it was writing there: then it is to be tried again
     */
    void revoke() {
        region.close();
    }

    /** Goes on when all notices that came before the key died are told; at once for regions without. */
    void afterNotifications(Runnable then) {
        if (slot == NO_SLOT) {
            then.run();
        } else {
            holder.afterNotifications(then);
        }
    }

    /** No notice comes any more. A second call does nothing. */
    void endNotifications() {
        if (slot != NO_SLOT) {
            holder.removeNotifications(slot);
            slot = NO_SLOT;
        }
    }

    /** Frees the memory. */
    void release() {
        endNotifications();
        free.run();
    }

    @Override
    public String toString() {
        return "region " + id + " of " + bytes() + " bytes " + rights + " lent to " + holder;
    }
}
