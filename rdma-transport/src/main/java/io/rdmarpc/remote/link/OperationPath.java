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
 * The path of operations to a peer: a connection that is established at first use, and again after it has failed.
 * Operations submitted meanwhile wait, and start in order before later operations. Any thread.
 */
public final class OperationPath {

    private final LinkContext context;
    private final PendingRequests requests;
    private final Supplier<@Nullable InetAddress> ownAddress;
    private final ArrayDeque<Waiting<?>> waiting = new ArrayDeque<>();
    private volatile boolean hasWaiting;
    private volatile @Nullable RdmaConnection connection;
    private @Nullable CompletableFuture<RdmaConnection> connecting;

    // Control thread.
    private boolean ended;

    /**
     * Creates the path without a connection.
     *
     * @param context opens connections
     * @param requests sends requests to the peer
     * @param ownAddress supplies the local address toward the peer, null if unknown
     */
    OperationPath(LinkContext context, PendingRequests requests, Supplier<@Nullable InetAddress> ownAddress) {
        this.context = context;
        this.requests = requests;
        this.ownAddress = ownAddress;
    }

    /** Starts an operation, now or as soon as a connection exists. Operations of one thread start in order. */
    public <T> CompletableFuture<T> run(Function<RdmaConnection, CompletableFuture<T>> start) {
        RdmaConnection current = hasWaiting ? null : openConnection();
        return current != null ? started(start, current) : waitFor(start);
    }

    /** Converts an exception of the start into a failed future: the owner may have sent an invalid address. */
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
            isFirst = !hasWaiting;
            hasWaiting = true;
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
     * Starts an operation on another new connection, because the previous one closed before the operation was posted.
     * Starts it even if that connection has closed as well, so that each attempt ends one operation.
     */
    private void startOnAnother(Waiting<?> late) {
        var _ = connect()
                .whenComplete((made, failure) -> context.threads().offControl(() -> {
                    late.start(made, failure);
                    startAll(made, failure);
                }));
    }

    /** Later operations use the connection directly only after the last waiting operation has started. */
    private synchronized @Nullable Waiting<?> next() {
        Waiting<?> next = waiting.poll();
        hasWaiting = next != null;
        return next;
    }

    /** An operation that waits for a connection. */
    private static final class Waiting<T> {

        private final Function<RdmaConnection, CompletableFuture<T>> operation;
        private final CompletableFuture<T> end = new CompletableFuture<>();

        Waiting(Function<RdmaConnection, CompletableFuture<T>> operation) {
            this.operation = operation;
        }

        void start(@Nullable RdmaConnection made, @Nullable Throwable failure) {
            if (made == null) {
                end.completeExceptionally(RemoteMemoryFailures.unwrapped(
                        failure == null ? new IllegalStateException("no connection exists") : failure));
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

    /** Returns the open connection; null if none exists, and then {@link #connect} establishes one. */
    private @Nullable RdmaConnection openConnection() {
        RdmaConnection current = connection;
        return current != null && current.isOpen() ? current : null;
    }

    public synchronized CompletableFuture<RdmaConnection> connect() {
        RdmaConnection current = openConnection();
        if (current != null) {
            return CompletableFuture.completedFuture(current);
        }
        CompletableFuture<RdmaConnection> attempt = connecting;
        if (attempt == null || attempt.isDone()) {
            attempt = prepare().thenCompose(this::exchangeEndpoints);
            connecting = attempt;
        }
        return attempt;
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

    private CompletableFuture<RdmaConnection> exchangeEndpoints(PreparedConnection prepared) {
        return requests.send(
                        new LinkMessage.Connect(prepared.endpoint()), LinkMessage.Connected.class, Function.identity())
                .handleAsync(
                        (response, failure) -> {
                            try (prepared) {
                                if (failure != null) {
                                    throw RemoteMemoryFailures.unwrapped(failure);
                                }
                                RdmaConnection fresh = prepared.complete(response.responder());
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
