package io.rdmarpc.async;

import io.rdmarpc.verbs.connect.QueuePairEndpoint;

/**
 * A connection whose peer is not known yet: for programs that exchange end points in their own way. Send
 * {@link #endpoint()} to the peer, {@link #complete} with the peer's, and use the connection once both have done so. Such a
 * connection does not notice that its peer is gone until an operation fails. One thread.
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
     * Describes this end for the peer.
     *
     * @return the end point
     */
    public QueuePairEndpoint endpoint() {
        return half.connector().endpoint();
    }

    /**
     * Connects to the peer's end. Blocks. When it fails, this is closed.
     *
     * @param peer its end point
     * @return the connection, to be closed by the caller
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException when the device refuses
     * @throws IllegalStateException when it was completed or closed before
     */
    public RdmaConnection complete(QueuePairEndpoint peer) {
        if (completed || !connection.isOpen()) {
            throw new IllegalStateException(connection + " was completed or closed before: prepare another");
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

    /** Gives the queue pair back unless it was completed. */
    @Override
    public void close() {
        if (!completed) {
            connection.close();
        }
    }
}
