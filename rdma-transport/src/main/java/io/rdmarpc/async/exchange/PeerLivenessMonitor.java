package io.rdmarpc.async.exchange;

import io.rdmarpc.async.error.RdmaExchangeException;
import io.rdmarpc.async.error.RdmaExchangeException.Reason;
import java.util.function.Consumer;

/**
 * Watches the TCP connection of the exchange. The kernel closes it if the peer's process dies; a queue pair that only
 * receives would not detect that. TCP keep-alive, or the retries of the next operation, detect the loss of the peer's
 * host.
 */
public final class PeerLivenessMonitor {

    private static final byte[] NOTHING = {};

    private final ExchangeSocket socket;
    private volatile boolean closed;

    public PeerLivenessMonitor(ExchangeSocket socket) {
        this.socket = socket;
    }

    /** Calls the consumer when the peer closes the connection or its process ends. */
    public void watch(Consumer<RdmaExchangeException> onEnd) {
        Thread.ofVirtual().name("rdma-liveness").start(() -> {
            int last = socket.awaitLast();
            if (!closed) {
                onEnd.accept(new RdmaExchangeException(Reason.CLOSED, explain(last), null));
            }
        });
    }

    private String explain(int last) {
        return switch (last) {
            case ExchangeSocket.GOODBYE -> socket.peer() + " ended the connection";
            case ExchangeSocket.REJECTION ->
                socket.peer() + " rejected the connection after the exchange: it took too long";
            case -1 -> socket.peer() + " is unreachable: the TCP connection of the exchange ended";
            default -> socket.peer() + " sent an unexpected message after the exchange";
        };
    }

    /** Sends GOODBYE to the peer and closes the TCP connection. */
    public void close() {
        closed = true;
        try {
            socket.send(ExchangeSocket.GOODBYE, NOTHING);
        } catch (RdmaExchangeException e) {
            // The peer has closed the TCP connection.
        }
        socket.close();
    }
}
