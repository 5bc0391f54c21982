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
 * What was asked of a peer and is not answered. What is to be done with an answer is known before the request goes out,
 * and is done on the thread that brings the answer: the peer's next words find it done. Any thread.
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
     * Starts without requests.
     *
     * @param sender sends them
     * @param peer who is asked, for messages
     * @param responseTimeout how long an answer may take
     */
    PendingRequests(Sender sender, String peer, Duration responseTimeout) {
        this.sender = sender;
        this.peer = peer;
        this.responseTimeout = responseTimeout;
    }

    int nextNumber() {
        return lastNumber.incrementAndGet();
    }

    <T extends LinkMessage, R> CompletableFuture<R> send(LinkMessage request, Class<T> answer, Function<T, R> use) {
        int number = nextNumber();
        CompletableFuture<LinkMessage> end = new CompletableFuture<>();
        CompletableFuture<R> used = end.orTimeout(responseTimeout.toMillis(), TimeUnit.MILLISECONDS)
                .handle((message, failure) -> {
                    open.remove(number);
                    return use.apply(answer.cast(checked(message, failure, answer)));
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
                    peer + " did not answer within " + responseTimeout + ". Look at it, and try again.",
                    failure);
        }
        if (message instanceof LinkMessage.Rejected refused) {
            throw new RdmaRemoteMemoryException(refused.reason(), peer + " refused: " + refused.words());
        }
        if (!expected.isInstance(message)) {
            throw new RdmaRemoteMemoryException(
                    Reason.PROTOCOL, peer + " answered with something else. Use the same release on both sides.");
        }
        return message;
    }

    /** Takes an answer; false when nobody waits for it any more. */
    boolean answer(int number, LinkMessage message) {
        CompletableFuture<LinkMessage> request = open.get(number);
        return request != null && request.complete(message);
    }

    /** Nobody answers any more. */
    void fail(RdmaException why) {
        gone = why;
        open.values().forEach(request -> request.completeExceptionally(why));
    }
}
