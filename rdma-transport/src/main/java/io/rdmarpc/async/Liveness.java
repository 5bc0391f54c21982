package io.rdmarpc.async;

import io.rdmarpc.async.ExchangeException.Reason;
import java.util.function.Consumer;

/**
 * Watches the TCP connection of the exchange. The kernel closes it when the peer's process dies, and a receive queue
 * would never notice otherwise. A peer whose machine dies is noticed by keep-alive, or by the next operation's retries.
 */
final class Liveness {

    private static final byte[] NOTHING = {};

    private final ExchangeSocket socket;
    private volatile boolean closed;

    Liveness(ExchangeSocket socket) {
        this.socket = socket;
    }

    /** Tells when the peer is gone or says so. */
    void watch(Consumer<ExchangeException> onEnd) {
        Thread.ofVirtual().name("rdma-liveness").start(() -> {
            int last = socket.awaitLast();
            if (!closed) {
                onEnd.accept(new ExchangeException(Reason.CLOSED, explain(last), null));
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
    void close() {
        closed = true;
        try {
            socket.send(ExchangeSocket.GOODBYE, NOTHING);
        } catch (ExchangeException e) {
            // It knows.
        }
        socket.close();
    }
}
