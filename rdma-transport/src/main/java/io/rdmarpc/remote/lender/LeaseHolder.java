package io.rdmarpc.remote.lender;

import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.wire.LinkMessage;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A peer that holds leases. Control thread. */
public interface LeaseHolder {

    /** Returns its host, for which quotas count its regions. */
    String account();

    /** Returns the identity of the peer, null before its HELLO. */
    @Nullable
    UUID peer();

    /** Registers memory for this peer only, with exactly this range and these rights. Blocks. */
    MemoryRegion register(MemorySegment memory, Set<RemoteRight> rights);

    /** Assigns a notification slot to a region; returns the slot. */
    int addNotifications(LentRegion region);

    /** Runs a task on the control thread after the listeners have handled all notifications received so far. */
    void afterNotifications(Runnable then);

    /** Stops notifications for a slot. */
    void removeNotifications(int slot);

    /** Sends a message without waiting for a response. */
    void send(LinkMessage message);
}
