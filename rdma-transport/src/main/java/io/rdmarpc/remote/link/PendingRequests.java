package io.rdmarpc.remote.link;

import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.wire.LinkMessage;
import io.rdmarpc.verbs.error.RdmaException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Requests without a response yet. Each request names the action for its response before it is sent. The action runs on
 * the thread that receives the response, before the peer's next message is handled. Any thread.
 */
final class PendingRequests {

    /** Sends a request; never blocks. */
    interface Sender {
        void send(int number, LinkMessage request);
    }

    private final Sender sender;
    private final String peer;
    private final Duration responseTimeout;
    private final AtomicInteger lastNumber = new AtomicInteger();
    private final Map<Integer, CompletableFuture<LinkMessage>> open = new ConcurrentHashMap<>();
    private volatile @Nullable RdmaException gone;

    /**
     * Creates an instance without requests.
     *
     * @param sender sends requests
     * @param peer the name of the peer, for messages
     * @param responseTimeout how long a response may take
     */
    PendingRequests(Sender sender, String peer, Duration responseTimeout) {
        this.sender = sender;
        this.peer = peer;
        this.responseTimeout = responseTimeout;
    }

    int nextNumber() {
        return lastNumber.incrementAndGet();
    }

    <T extends LinkMessage, R> CompletableFuture<R> send(LinkMessage request, Class<T> type, Function<T, R> use) {
        int number = nextNumber();
        CompletableFuture<LinkMessage> end = new CompletableFuture<>();
        CompletableFuture<R> used = end.orTimeout(responseTimeout.toMillis(), TimeUnit.MILLISECONDS)
                .handle((message, failure) -> {
                    open.remove(number);
                    return use.apply(type.cast(checked(message, failure, type)));
                });
        open.put(number, end);
        RdmaException why = gone;
        if (why != null) {
            end.completeExceptionally(why);
        } else {
            sender.send(number, request);
        }
        return used;
    }

    private LinkMessage checked(
            @Nullable LinkMessage message, @Nullable Throwable failure, Class<? extends LinkMessage> expected) {
        if (failure instanceof RdmaException known) {
            throw known;
        }
        if (failure != null) {
            throw new RdmaRemoteMemoryException(
                    Reason.TIMED_OUT,
                    peer + " did not respond within " + responseTimeout + ". Check its process and retry.",
                    failure);
        }
        if (message instanceof LinkMessage.Rejected rejected) {
            throw new RdmaRemoteMemoryException(
                    rejected.reason(), peer + " rejected the request: " + rejected.detail());
        }
        if (!expected.isInstance(message)) {
            throw new RdmaRemoteMemoryException(
                    Reason.PROTOCOL, peer + " sent a response of another type. Use the same release on both sides.");
        }
        return message;
    }

    /** Completes a request with its response; returns false if no request waits for it. */
    boolean complete(int number, LinkMessage message) {
        CompletableFuture<LinkMessage> request = open.get(number);
        return request != null && request.complete(message);
    }

    /** Fails all requests, present and future. */
    void fail(RdmaException why) {
        gone = why;
        open.values().forEach(request -> request.completeExceptionally(why));
    }
}
