package io.rdmarpc.async;

import io.rdmarpc.verbs.connect.QueuePairEndpoint;

/**
 * The local half of a connection, for programs that exchange endpoints out of band. Send {@link #endpoint()} to the
 * peer and pass the peer's endpoint to {@link #complete}. Use the connection after both sides have done so. Such a
 * connection detects the loss of its peer only when an operation fails. Not thread-safe.
 */
public final class PreparedConnection implements AutoCloseable {

    private final RdmaConnection connection;
    private final NodeCore.Prepared half;
    private boolean completed;

    PreparedConnection(RdmaConnection connection, NodeCore.Prepared half) {
        this.connection = connection;
        this.half = half;
    }

    /**
     * Describes this side for the peer.
     *
     * @return the endpoint
     */
    public QueuePairEndpoint endpoint() {
        return half.connector().endpoint();
    }

    /**
     * Connects to the peer's queue pair. Blocks. On failure it closes this connection.
     *
     * @param peer the peer's endpoint
     * @return the connection, to be closed by the caller
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException if the device rejects it
     * @throws IllegalStateException if it was completed or closed before
     */
    public RdmaConnection complete(QueuePairEndpoint peer) {
        if (completed || !connection.isOpen()) {
            throw new IllegalStateException(connection + " was completed or closed before. Prepare another");
        }
        try {
            half.connector().complete(peer);
            completed = true;
            return connection;
        } finally {
            if (!completed) {
                connection.close();
            }
        }
    }

    /** Destroys the queue pair unless it was completed. */
    @Override
    public void close() {
        if (!completed) {
            connection.close();
        }
    }
}
