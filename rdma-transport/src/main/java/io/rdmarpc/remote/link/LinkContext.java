package io.rdmarpc.remote.link;

import io.rdmarpc.async.RdmaConnection;
import io.rdmarpc.async.RdmaNode;
import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.remote.lender.LeaseExpiry;
import io.rdmarpc.remote.lender.Lender;
import io.rdmarpc.remote.notification.NotificationQueue;
import io.rdmarpc.remote.support.MemoryThreads;
import io.rdmarpc.remote.support.RemoteMemoryCounters;
import io.rdmarpc.verbs.attributes.GidEntry;
import java.net.InetAddress;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What the links of one remote memory share. Any thread, unless a method says otherwise. */
public interface LinkContext {

    /** Returns what peers know this process by. */
    UUID id();

    /** Returns how long a peer may take to answer. */
    Duration answerTimeout();

    NanoClock clock();

    MemoryThreads threads();

    RemoteMemoryCounters counters();

    /** Returns where connections to peers come from. */
    RdmaNode node();

    /** Returns what lends memory to peers. Control thread. */
    Lender lender();

    /** Returns what ends leases in time. Control thread. */
    LeaseExpiry leaseExpiry();

    /** Returns all links. */
    LinkRegistry links();

    /** Returns the GID to use with an own address, or the configured one where the address is not known. */
    GidEntry gidFor(@Nullable InetAddress ownAddress);

    /** Makes the end of a link that answers. Control thread. */
    LinkResponder newResponder();

    /** Ends a connection without waiting for it. */
    void closeSoon(RdmaConnection connection);

    /** Takes notifications from a queue, from now on. */
    void watchNotifications(NotificationQueue queue);

    /** Takes no more notifications from a queue. */
    void forgetNotifications(@Nullable NotificationQueue queue);

    /** Runs something on the control thread when the listeners have handled all notifications that have come by now. */
    void afterNotifications(@Nullable NotificationQueue queue, Runnable then);
}
