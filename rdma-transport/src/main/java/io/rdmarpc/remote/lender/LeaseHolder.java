package io.rdmarpc.remote.lender;

import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.wire.LinkMessage;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A peer as the {@link Lender} sees it. Control thread. */
public interface LeaseHolder {

    /** Names the account its regions count on: its host. */
    String account();

    /** Returns its identity, null before it has greeted. */
    @Nullable
    UUID peer();

    /** Registers memory for it alone: exactly this range and these rights. Blocks. */
    MemoryRegion register(MemorySegment memory, Set<RemoteRight> rights);

    /** Makes a place for notices of a region; returns its number. */
    int addNotifications(LentRegion region);

    /** Runs something on the control thread when the listeners were told of all notices that have come by now. */
    void afterNotifications(Runnable then);

    /** Takes no more notices of a region. */
    void removeNotifications(int slot);

    /** Says something without waiting for an answer. */
    void send(LinkMessage message);
}
