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

/** The services that the links of one remote memory share. Any thread, unless stated otherwise. */
public interface LinkContext {

    /** Returns the identity by which peers know this process. */
    UUID id();

    /** Returns how long a peer may take to respond. */
    Duration responseTimeout();

    NanoClock clock();

    MemoryThreads threads();

    RemoteMemoryCounters counters();

    /** Returns the node that opens connections to peers. */
    RdmaNode node();

    /** Returns the lender of local memory. Control thread. */
    Lender lender();

    /** Returns the scheduler of lease ends. Control thread. */
    LeaseExpiry leaseExpiry();

    /** Returns all links. */
    LinkRegistry links();

    /** Returns the GID for a local address, or the configured GID if the address is unknown. */
    GidEntry gidFor(@Nullable InetAddress ownAddress);

    /** Creates the responder of a link. Control thread. */
    LinkResponder newResponder();

    /** Closes a connection without waiting. */
    void closeSoon(RdmaConnection connection);

    /** Starts to receive notifications from a queue. */
    void watchNotifications(NotificationQueue queue);

    /** Stops receiving notifications from a queue. */
    void forgetNotifications(@Nullable NotificationQueue queue);

    /** Runs a task on the control thread after the listeners have handled all notifications received so far. */
    void afterNotifications(@Nullable NotificationQueue queue, Runnable then);
}
