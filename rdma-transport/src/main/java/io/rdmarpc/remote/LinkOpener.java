package io.rdmarpc.remote;

import io.rdmarpc.remote.RemoteMemoryException.Reason;
import io.rdmarpc.rpc.RpcSession;
import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Opens links over sessions. Any thread.
 *
 * @param core what they belong to
 * @param target the peer's name, for messages
 */
record LinkOpener(MemoryCore core, String target) {

    private static final long TEN_YEARS = TimeUnit.DAYS.toNanos(3650);

    /** Completed when both sides have said hello. */
    CompletableFuture<PeerLink> open(Supplier<RpcSession> session) {
        return CompletableFuture.supplyAsync(
                        () -> start(session.get()), core.threads().workers())
                .thenCompose(this::greeted);
    }

    private PeerLink start(RpcSession session) {
        String host = OwnAddress.hostOf(session.info().peer());
        InetAddress address = OwnAddress.ofLiteral(host);
        PeerLink fresh = new PeerLink(core, host, true, OwnAddress.towards(address));
        core.links()
                .add(
                        fresh,
                        link -> link.start(
                                session.openStream(
                                        RemoteMemory.LINK.id(), LinkStream.CREDITS, TEN_YEARS, link.stream()),
                                address));
        return fresh;
    }

    private CompletableFuture<PeerLink> greeted(PeerLink fresh) {
        return fresh.greeted()
                .copy()
                .orTimeout(core.config().answerTimeout().toMillis(), TimeUnit.MILLISECONDS)
                .handle((peer, failure) -> {
                    if (failure != null) {
                        core.threads().onControl(() -> fresh.end(unanswered(failure)));
                        throw unanswered(failure);
                    }
                    return fresh;
                });
    }

    private RemoteMemoryException unanswered(Throwable failure) {
        return new RemoteMemoryException(
                Reason.LOST,
                target + " does not answer about memory: " + failure.getMessage()
                        + ". It must have remote memory open, of the same release.",
                failure);
    }

    /** Tells whether an attempt is under way, or has made a link that is open. */
    static boolean isUsable(CompletableFuture<PeerLink> attempt) {
        return !attempt.isDone()
                || (!attempt.isCompletedExceptionally() && attempt.join().isOpen());
    }
}
