package io.rdmarpc.remote.link;

import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.wire.LinkMessage;
import io.rdmarpc.verbs.RdmaException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What was asked of a peer and is not answered. What is to be done with an answer is known before the question goes out,
 * and is done on the thread that brings the answer: the peer's next words find it done. Any thread.
 */
final class PendingRequests {

    /** Sends a question; never blocks. */
    interface Way {
        void send(int number, LinkMessage question);
    }

    private final Way way;
    private final String peer;
    private final Duration patience;
    private final AtomicInteger lastNumber = new AtomicInteger();
    private final Map<Integer, CompletableFuture<LinkMessage>> open = new ConcurrentHashMap<>();
    private volatile @Nullable RdmaException gone;

    /**
     * Starts without questions.
     *
     * @param way sends them
     * @param peer who is asked, for messages
     * @param patience how long an answer may take
     */
    PendingRequests(Way way, String peer, Duration patience) {
        this.way = way;
        this.peer = peer;
        this.patience = patience;
    }

    int nextNumber() {
        return lastNumber.incrementAndGet();
    }

    <T extends LinkMessage, R> CompletableFuture<R> ask(LinkMessage question, Class<T> answer, Function<T, R> use) {
        int number = nextNumber();
        CompletableFuture<LinkMessage> end = new CompletableFuture<>();
        CompletableFuture<R> used = end.orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)
                .handle((message, failure) -> {
                    open.remove(number);
                    return use.apply(answer.cast(checked(message, failure, answer)));
                });
        open.put(number, end);
        RdmaException why = gone;
        if (why != null) {
            end.completeExceptionally(why);
        } else {
            way.send(number, question);
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
                    peer + " did not answer within " + patience + ". Look at it, and try again.",
                    failure);
        }
        if (message instanceof LinkMessage.Refused refused) {
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
        CompletableFuture<LinkMessage> question = open.get(number);
        return question != null && question.complete(message);
    }

    /** Nobody answers any more. */
    void fail(RdmaException why) {
        gone = why;
        open.values().forEach(question -> question.completeExceptionally(why));
    }
}
