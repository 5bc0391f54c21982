package io.rdmarpc.remote.lender;

import io.rdmarpc.remote.lease.RemoteMemorySnapshot;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.wire.LinkMessage;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Memory lent to one peer until a deadline. It ends in this order: the NIC invalidates the key, listeners handle the
 * notifications received by then, and the memory is released. Control thread.
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
     * Starts the lease.
     *
     * @param id the number of the region on the link
     * @param holder the peer that may use it
     * @param rights the rights of the holder
     * @param region the registration for this peer only
     * @param free releases the memory after the NIC has deregistered it
     * @param grant the opened grant, null for an allocation
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

    /** Sets the deadline. The region must not be in a {@link LeaseTable}. */
    void deadline(long nanos) {
        deadlineNanos = nanos;
    }

    /** Assigns a notification slot if the region has the right {@link RemoteRight#NOTIFY}. */
    void startNotifications() {
        if (rights.contains(RemoteRight.NOTIFY)) {
            slot = holder.addNotifications(this);
        }
    }

    /** Returns the memory for listeners. Any thread. */
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
     * Invalidates the key. Blocks.
     *
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException if the device fails to invalidate the key; the memory is then
     *     never reused. With {@code EBUSY} a peer was stopped during a write, and the call can be retried
     */
    void revoke() {
        region.close();
    }

    /**
     * Runs a task after all notifications received before the revocation were handled; at once for regions without
     * notifications.
     */
    void afterNotifications(Runnable then) {
        if (slot == NO_SLOT) {
            then.run();
        } else {
            holder.afterNotifications(then);
        }
    }

    /** Stops notifications. A second call has no effect. */
    void endNotifications() {
        if (slot != NO_SLOT) {
            holder.removeNotifications(slot);
            slot = NO_SLOT;
        }
    }

    /** Releases the memory. */
    void release() {
        endNotifications();
        free.run();
    }

    @Override
    public String toString() {
        return "region " + id + " of " + bytes() + " bytes " + rights + " lent to " + holder;
    }
}
