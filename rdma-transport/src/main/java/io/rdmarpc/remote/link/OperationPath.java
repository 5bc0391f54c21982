package io.rdmarpc.remote.link;

import io.rdmarpc.async.PreparedConnection;
import io.rdmarpc.async.RdmaConnection;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.support.RemoteMemoryFailures;
import io.rdmarpc.remote.wire.LinkMessage;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The way of operations to a peer: a connection, made when first needed and again after one has failed. What is asked for
 * meanwhile waits, and starts in its order before anything that comes later. Any thread.
 */
public final class OperationPath {

    private final LinkContext context;
    private final PendingRequests requests;
    private final Supplier<@Nullable InetAddress> ownAddress;
    private final ArrayDeque<Waiting<?>> waiting = new ArrayDeque<>();
    private volatile boolean someWait;
    private volatile @Nullable RdmaConnection connection;
    private @Nullable CompletableFuture<RdmaConnection> connecting;

    // Control thread.
    private boolean ended;

    /**
     * Begins without a connection.
     *
     * @param context where connections come from
     * @param requests asks the peer for its end of one
     * @param ownAddress the own address on the way to the peer, null when it is not known
     */
    OperationPath(LinkContext context, PendingRequests requests, Supplier<@Nullable InetAddress> ownAddress) {
        this.context = context;
        this.requests = requests;
        this.ownAddress = ownAddress;
    }

    /** Starts an operation, now or when there is a connection. Two of one thread start in their order. */
    public <T> CompletableFuture<T> run(Function<RdmaConnection, CompletableFuture<T>> start) {
        RdmaConnection current = someWait ? null : openConnection();
        return current != null ? started(start, current) : waitFor(start);
    }

    /** What an owner told may make no sense, such as an address near the largest one. */
    private static <T> CompletableFuture<T> started(
            Function<RdmaConnection, CompletableFuture<T>> start, RdmaConnection connection) {
        try {
            return start.apply(connection);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private <T> CompletableFuture<T> waitFor(Function<RdmaConnection, CompletableFuture<T>> start) {
        Waiting<T> last = new Waiting<>(start);
        boolean isFirst;
        synchronized (this) {
            waiting.add(last);
            isFirst = !someWait;
            someWait = true;
        }
        if (isFirst) {
            var _ = connect()
                    .whenComplete((made, failure) -> context.threads().offControl(() -> startAll(made, failure)));
        }
        return last.end;
    }

    private void startAll(@Nullable RdmaConnection made, @Nullable Throwable failure) {
        for (Waiting<?> next = next(); next != null; next = next()) {
            if (made != null && !made.isOpen()) {
                startOnAnother(next);
                return;
            }
            next.start(made, failure);
        }
    }

    /**
     * It has come while others were started, and their connection has ended meanwhile: nothing of it was posted. Whatever becomes
     * of the next connection it is started there, so each round leaves one less.
     */
    private void startOnAnother(Waiting<?> late) {
        var _ = connect()
                .whenComplete((made, failure) -> context.threads().offControl(() -> {
                    late.start(made, failure);
                    startAll(made, failure);
                }));
    }

    /** Only when the last one has started the next may go the short way. */
    private synchronized @Nullable Waiting<?> next() {
        Waiting<?> next = waiting.poll();
        someWait = next != null;
        return next;
    }

    /** An operation before there is a connection. */
    private static final class Waiting<T> {

        private final Function<RdmaConnection, CompletableFuture<T>> operation;
        private final CompletableFuture<T> end = new CompletableFuture<>();

        Waiting(Function<RdmaConnection, CompletableFuture<T>> operation) {
            this.operation = operation;
        }

        void start(@Nullable RdmaConnection made, @Nullable Throwable failure) {
            if (made == null) {
                end.completeExceptionally(RemoteMemoryFailures.unwrapped(
                        failure == null ? new IllegalStateException("there is no connection") : failure));
                return;
            }
            var _ = started(operation, made).whenComplete((value, failed) -> {
                if (failed == null) {
                    end.complete(value);
                } else {
                    end.completeExceptionally(failed);
                }
            });
        }
    }

    /** Returns the connection when there is one that works; else null, and {@link #connect} makes one. */
    private @Nullable RdmaConnection openConnection() {
        RdmaConnection current = connection;
        return current != null && current.isOpen() ? current : null;
    }

    public synchronized CompletableFuture<RdmaConnection> connect() {
        RdmaConnection current = openConnection();
        if (current != null) {
            return CompletableFuture.completedFuture(current);
        }
        CompletableFuture<RdmaConnection> underWay = connecting;
        if (underWay == null || underWay.isDone()) {
            underWay = prepare().thenCompose(this::meet);
            connecting = underWay;
        }
        return underWay;
    }

    private CompletableFuture<PreparedConnection> prepare() {
        try {
            return CompletableFuture.supplyAsync(
                    () -> context.node().prepare(ownAddress.get()),
                    context.threads().controlOrFail());
        } catch (RdmaRemoteMemoryException closed) {
            return CompletableFuture.failedFuture(closed);
        }
    }

    private CompletableFuture<RdmaConnection> meet(PreparedConnection prepared) {
        return requests.send(
                        new LinkMessage.Connect(prepared.endpoint()), LinkMessage.Connected.class, Function.identity())
                .handleAsync(
                        (answer, failure) -> {
                            try (prepared) {
                                if (failure != null) {
                                    throw RemoteMemoryFailures.unwrapped(failure);
                                }
                                RdmaConnection fresh = prepared.complete(answer.responder());
                                connection = fresh;
                                if (ended) {
                                    context.closeSoon(fresh);
                                }
                                return fresh;
                            }
                        },
                        context.threads().controlOrFail());
    }

    /** Control thread. */
    void end() {
        ended = true;
        RdmaConnection last = connection;
        if (last != null) {
            context.closeSoon(last);
        }
    }
}
