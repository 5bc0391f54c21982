package io.rdmarpc.async.exchange;

import io.rdmarpc.async.error.RdmaExchangeException;
import io.rdmarpc.async.error.RdmaExchangeException.Reason;
import java.util.function.Consumer;

/**
 * Watches the TCP connection of the exchange. The kernel closes it when the peer's process dies, and a receive queue
 * would never notice otherwise. A peer whose machine dies is noticed by keep-alive, or by the next operation's retries.
 */
public final class PeerLivenessMonitor {

    private static final byte[] NOTHING = {};

    private final ExchangeSocket socket;
    private volatile boolean closed;

    public PeerLivenessMonitor(ExchangeSocket socket) {
        this.socket = socket;
    }

    /** Tells when the peer is gone or says so. */
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
            case ExchangeSocket.REFUSAL -> socket.peer() + " gave the exchange up: it took too long";
            case -1 -> socket.peer() + " is gone: its side of the exchange was cut";
            default -> socket.peer() + " sent what does not belong after an exchange";
        };
    }

    /** Says goodbye. */
    public void close() {
        closed = true;
        try {
            socket.send(ExchangeSocket.GOODBYE, NOTHING);
        } catch (RdmaExchangeException e) {
            // It knows.
        }
        socket.close();
    }
}
