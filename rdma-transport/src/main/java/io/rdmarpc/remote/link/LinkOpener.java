package io.rdmarpc.remote.link;

import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Opens links over sessions. Any thread.
 *
 * @param context the remote memory of the links
 * @param target the peer's name, for messages
 */
public record LinkOpener(LinkContext context, String target) {

    private static final String SERVICE = "io.rdmarpc.remote.RemoteMemory";
    private static final String SIGNATURE = "stream link(stream)";

    /** The service method whose stream carries a link. */
    public static final ServiceContract.Method METHOD =
            new ServiceContract.Method(ServiceContract.methodId(SERVICE, SIGNATURE), SIGNATURE);

    /** The contract that remote memory exports to peers. */
    public static final ServiceContract CONTRACT = new ServiceContract(SERVICE, List.of(METHOD), List.of());

    private static final long TEN_YEARS = TimeUnit.DAYS.toNanos(3650);

    /** Opens a link. The future completes after both sides have sent HELLO. */
    public CompletableFuture<PeerLink> open(Supplier<RpcSession> session) {
        return CompletableFuture.supplyAsync(
                        () -> start(session.get()), context.threads().workers())
                .thenCompose(this::greeted);
    }

    private PeerLink start(RpcSession session) {
        String host = AddressLookup.hostOf(session.info().peer());
        InetAddress address = AddressLookup.ofLiteral(host);
        PeerLink fresh = new PeerLink(context, host, true, AddressLookup.towards(address));
        context.links()
                .add(
                        fresh,
                        link -> link.start(
                                session.openStream(METHOD.id(), LinkStream.CREDITS, TEN_YEARS, link.stream()),
                                address));
        return fresh;
    }

    private CompletableFuture<PeerLink> greeted(PeerLink fresh) {
        return fresh.greeted()
                .copy()
                .orTimeout(context.responseTimeout().toMillis(), TimeUnit.MILLISECONDS)
                .handle((peer, failure) -> {
                    if (failure != null) {
                        context.threads().onControl(() -> fresh.end(linkFailed(failure)));
                        throw linkFailed(failure);
                    }
                    return fresh;
                });
    }

    private RdmaRemoteMemoryException linkFailed(Throwable failure) {
        return new RdmaRemoteMemoryException(
                Reason.LOST,
                "Opening a link for remote memory to " + target + " failed: " + failure.getMessage()
                        + ". Check that the peer has remote memory open, and uses the same release.",
                failure);
    }

    /** Returns whether an attempt is in progress, or has opened a link that is still open. */
    public static boolean isUsable(CompletableFuture<PeerLink> attempt) {
        return !attempt.isDone()
                || (!attempt.isCompletedExceptionally() && attempt.join().isOpen());
    }
}
