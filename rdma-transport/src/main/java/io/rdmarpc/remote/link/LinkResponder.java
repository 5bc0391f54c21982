package io.rdmarpc.remote.link;

import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.notification.NotificationQueue;
import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.connect.ConnectionSettings;
import io.rdmarpc.verbs.connect.QueuePairConnector;
import io.rdmarpc.verbs.connect.QueuePairEndpoint;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The responder of a link: one queue pair, and a protection domain with all memory that is lent to this peer. A key
 * that leaks to another peer is useless there, because that peer's queue pair is in another domain. Control thread; all
 * methods block.
 */
public final class LinkResponder implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(LinkResponder.class.getName());
    private static final QueuePairCapabilities NOTHING_TO_SEND = new QueuePairCapabilities(1, 1, 1, 1, 0);

    private final RdmaContext context;
    private final int port;
    private final CompletionQueue unused;
    private final ConnectionSettings settings;
    private final ProtectionDomain domain;
    private final @Nullable NotificationQueue notifications;
    private @Nullable QueuePair queuePair;

    /**
     * Creates the protection domain.
     *
     * @param context the device
     * @param port the port of the device
     * @param unused a completion queue for operations; it stays empty, because the responder posts none
     * @param settings queue pair settings
     * @param channel reports notifications, null if the device does not support them
     */
    public LinkResponder(
            RdmaContext context,
            int port,
            CompletionQueue unused,
            ConnectionSettings settings,
            @Nullable CompletionChannel channel) {
        this.context = context;
        this.port = port;
        this.unused = unused;
        this.settings = settings.withAccess(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC)
                .withReads(0, settings.reads().asResponder());
        this.domain = context.allocateProtectionDomain();
        this.notifications = channel == null ? null : createNotifications(channel);
    }

    private @Nullable NotificationQueue createNotifications(CompletionChannel channel) {
        try {
            return new NotificationQueue(context, domain, channel);
        } catch (RdmaVerbsException e) {
            if (e.errno() == Errno.EOPNOTSUPP) {
                return null;
            }
            domain.close();
            throw e;
        }
    }

    /** Returns the queue of the peer's notifications; null if the device does not support them. */
    @Nullable
    NotificationQueue notifications() {
        return notifications;
    }

    /** Creates a queue pair for the peer's operations. An earlier queue pair is destroyed. */
    QueuePairEndpoint connect(QueuePairEndpoint initiator, GidEntry from) {
        disconnect();
        QueuePair fresh = domain.createQueuePair(config().unchecked());
        queuePair = fresh;
        QueuePairConnector connector = QueuePairConnector.prepare(fresh, context, port, from, settings);
        connector.complete(initiator);
        return connector.endpoint();
    }

    private QueuePairConfig config() {
        return notifications == null
                ? new QueuePairConfig(QueuePairType.RC, unused, unused, NOTHING_TO_SEND, false)
                : new QueuePairConfig(QueuePairType.RC, unused, notifications.completions(), NOTHING_TO_SEND, false)
                        .withSharedReceiveQueue(notifications.receives());
    }

    /** Registers memory for the peer, with exactly this range and these rights. */
    MemoryRegion register(MemorySegment memory, Set<RemoteRight> rights) {
        return domain.registerMemory(memory, RemoteRight.access(rights));
    }

    /** Ends the peer's access. Notifications that have arrived are kept for the listeners. */
    void disconnect() {
        QueuePair last = queuePair;
        queuePair = null;
        if (last != null) {
            try {
                keepNotifications(last);
            } finally {
                last.close();
            }
        }
    }

    /** Moves the queue pair to ERR, which stops further notifications, and keeps those that have arrived. */
    private void keepNotifications(QueuePair last) {
        if (notifications == null) {
            return;
        }
        try {
            last.modify(new QueuePairAttributes().state(QueuePairState.ERR));
            notifications.keep();
        } catch (RdmaVerbsException e) {
            LOG.log(System.Logger.Level.WARNING, "Notifications of a disconnecting peer are lost", e);
        }
    }

    /** Ends the peer's access and destroys the domain. All regions must be closed before. */
    @Override
    public void close() {
        disconnect();
        if (notifications != null) {
            notifications.close();
        }
        domain.close();
    }
}
