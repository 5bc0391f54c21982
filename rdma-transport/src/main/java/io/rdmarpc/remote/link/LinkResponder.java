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
 * The end of a link that only answers: one queue pair, and a protection domain with all that is lent to this one peer.
 * A key that leaks to another peer opens nothing there: that peer's queue pair is in another domain. Control thread; all
 * of it blocks.
 */
public final class LinkResponder implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(LinkResponder.class.getName());
    private static final QueuePairCapabilities NOTHING_TO_SEND = new QueuePairCapabilities(1, 1, 1, 1, 0);

    private final RdmaContext context;
    private final int port;
    private final CompletionQueue unused;
    private final ConnectionSettings settings;
    private final ProtectionDomain domain;
    private final @Nullable NotificationQueue notices;
    private @Nullable QueuePair queuePair;

    /**
     * Makes the domain.
     *
     * @param context the device
     * @param port its port
     * @param unused a completion queue; nothing completes here
     * @param settings how queue pairs behave
     * @param channel tells of notices, null where there are none
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
        this.notices = channel == null ? null : createNotifications(channel);
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

    /** Where the peer's notices come; null when the device cannot do that. */
    @Nullable
    NotificationQueue notices() {
        return notices;
    }

    /** Takes the operations of the peer's queue pair from now on, those of an earlier one no more. */
    QueuePairEndpoint connect(QueuePairEndpoint initiator, GidEntry from) {
        disconnect();
        QueuePair fresh = domain.createQueuePair(config().unchecked());
        queuePair = fresh;
        QueuePairConnector connector = QueuePairConnector.prepare(fresh, context, port, from, settings);
        connector.complete(initiator);
        return connector.endpoint();
    }

    private QueuePairConfig config() {
        return notices == null
                ? new QueuePairConfig(QueuePairType.RC, unused, unused, NOTHING_TO_SEND, false)
                : new QueuePairConfig(QueuePairType.RC, unused, notices.completions(), NOTHING_TO_SEND, false)
                        .withSharedReceiveQueue(notices.receives());
    }

    /** Registers memory for the peer: exactly this range and these rights. */
    MemoryRegion register(MemorySegment memory, Set<RemoteRight> rights) {
        return domain.registerMemory(memory, RemoteRight.access(rights));
    }

    /** The peer reaches nothing from here on. What it was told has arrived is kept for the listeners. */
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

    /** In the state ERR nothing more comes, and what has come is still there. */
    private void keepNotifications(QueuePair last) {
        if (notices == null) {
            return;
        }
        try {
            last.modify(new QueuePairAttributes().state(QueuePairState.ERR));
            notices.keep();
        } catch (RdmaVerbsException e) {
            LOG.log(System.Logger.Level.WARNING, "notices of a peer that goes are lost", e);
        }
    }

    /** The peer reaches nothing any more. Regions are to be closed before. */
    @Override
    public void close() {
        disconnect();
        if (notices != null) {
            notices.close();
        }
        domain.close();
    }
}
