package io.rdmarpc.remote;

import io.rdmarpc.verbs.AccessFlag;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ConnectionSettings;
import io.rdmarpc.verbs.GidEntry;
import io.rdmarpc.verbs.MemoryRegion;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairCapabilities;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.QueuePairConnector;
import io.rdmarpc.verbs.QueuePairEndpoint;
import io.rdmarpc.verbs.QueuePairType;
import io.rdmarpc.verbs.RdmaContext;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The end of a link that only answers: one queue pair, and a protection domain with all that is lent to this one peer.
 * A key that leaks to another peer opens nothing there: that peer's queue pair is in another domain. Control thread; all
 * of it blocks.
 */
final class Responder implements AutoCloseable {

    private static final QueuePairCapabilities NOTHING_TO_SEND = new QueuePairCapabilities(1, 1, 1, 1, 0);

    private final RdmaContext context;
    private final int port;
    private final CompletionQueue unused;
    private final ConnectionSettings settings;
    private final ProtectionDomain domain;
    private @Nullable QueuePair queuePair;

    /**
     * Makes the domain.
     *
     * @param context the device
     * @param port its port
     * @param unused a completion queue; nothing completes here
     * @param settings how queue pairs behave
     */
    Responder(RdmaContext context, int port, CompletionQueue unused, ConnectionSettings settings) {
        this.context = context;
        this.port = port;
        this.unused = unused;
        this.settings = settings.withAccess(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC)
                .withReads(0, settings.reads().asResponder());
        this.domain = context.allocateProtectionDomain();
    }

    /** Takes the operations of the peer's queue pair from now on, those of an earlier one no more. */
    QueuePairEndpoint connect(QueuePairEndpoint initiator, GidEntry from) {
        disconnect();
        QueuePair fresh = domain.createQueuePair(
                new QueuePairConfig(QueuePairType.RC, unused, unused, NOTHING_TO_SEND, false).unchecked());
        queuePair = fresh;
        QueuePairConnector connector = QueuePairConnector.prepare(fresh, context, port, from, settings);
        connector.complete(initiator);
        return connector.endpoint();
    }

    /** Registers memory for the peer: exactly this range and these rights. */
    MemoryRegion register(MemorySegment memory, Set<RemoteRight> rights) {
        return domain.registerMemory(memory, RemoteRight.access(rights));
    }

    /** The peer reaches nothing from here on. */
    void disconnect() {
        QueuePair last = queuePair;
        queuePair = null;
        if (last != null) {
            last.close();
        }
    }

    /** The peer reaches nothing any more. Regions are to be closed before. */
    @Override
    public void close() {
        disconnect();
        domain.close();
    }
}
