package io.rdmarpc.remote;

import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.remote.link.PeerLink;
import io.rdmarpc.remote.link.SessionLinks;
import io.rdmarpc.remote.support.RemoteMemoryFailures;
import io.rdmarpc.remote.wire.TokenCodec;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.verbs.error.RdmaException;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Regions as parts of messages: they travel as tokens, and the data stays where it is until it is read. For what writes and
 * reads calls. Any thread.
 */
public final class RegionsInCalls {

    private final MemoryCore core;
    private final SessionLinks overSessions;

    RegionsInCalls(MemoryCore core) {
        this.core = core;
        this.overSessions = new SessionLinks(core);
    }

    /**
     * Connects to the peer at the other end of a session, so that regions can go over it.
     *
     * @param session which
     * @return completed with the identity of the peer's {@link RemoteMemory}
     */
    public CompletableFuture<UUID> connectOver(RpcSession session) {
        return core.threads().offControlThread(overSessions.of(session).thenCompose(PeerLink::greeted));
    }

    /**
     * Connects to the peer at the other end of a session, and waits for it.
     *
     * @param session which
     * @return the identity of the peer's {@link RemoteMemory}
     * @throws RdmaRemoteMemoryException when it has none, or does not answer in time
     */
    public UUID peerOver(RpcSession session) {
        return core.responseTimeout()
                .await(
                        connectOver(session),
                        "the connection to the memory of " + session.info().peer());
    }

    /**
     * Returns what stands for a region.
     *
     * @param region lent by {@link RemoteMemory#lend}, or come with a call and not used yet, which then is the receiver's
     * @param onlyFor who may open it, null for whoever gets it
     * @return what opens it once
     * @throws RdmaRemoteMemoryException when it is borrowed from a peer, or its lease is over
     */
    public RegionToken tokenOf(RemoteRegion region, @Nullable UUID onlyFor) {
        return region.token(onlyFor);
    }

    /**
     * Makes a region of what stands for it. Its owner is asked when the region is first used.
     *
     * @param token from a message; it opens once
     * @param from the session that it came over, where a link to its owner can be opened; null where the owner has opened one
     * @return the region, to be freed by whoever the message is for; else it ends with the grant
     */
    public RemoteRegion regionOf(RegionToken token, @Nullable RpcSession from) {
        return RemoteRegion.all(
                core,
                new TokenLease(
                        core,
                        token,
                        known -> linkTo(known.owner(), from)
                                .thenCompose(link -> link.open(TokenCodec.secretOf(known)))));
    }

    private CompletableFuture<PeerLink> linkTo(UUID owner, @Nullable RpcSession from) {
        return from == null || openLink(owner).isPresent()
                ? linkTo(owner)
                // That of another process does not help: then this says so.
                : overSessions.of(from).exceptionally(RegionsInCalls::lost).thenCompose(_ -> linkTo(owner));
    }

    private static PeerLink lost(Throwable failure) {
        RdmaException known = RemoteMemoryFailures.unwrapped(failure);
        throw known instanceof RdmaRemoteMemoryException
                ? known
                : new RdmaRemoteMemoryException(
                        Reason.LOST,
                        "The owner of the region is gone: " + known.getMessage() + ". Ask for another region.",
                        known);
    }

    /** A peer that is still saying hello, while its token has come by a call, is waited for. */
    CompletableFuture<PeerLink> linkTo(UUID owner) {
        return openLink(owner)
                .map(CompletableFuture::completedFuture)
                .orElseGet(() -> core.links()
                        .greetings()
                        .thenCompose(_ -> openLink(owner)
                                .map(CompletableFuture::completedFuture)
                                .orElseGet(() -> CompletableFuture.failedFuture(new RdmaRemoteMemoryException(
                                        Reason.LOST,
                                        "There is no connection to the owner " + owner
                                                + " of the token. Connect to it with"
                                                + " RemoteMemory.peer(..).connect(), or have it connect here.")))));
    }

    private Optional<PeerLink> openLink(UUID owner) {
        return core.links().stream()
                .filter(link -> link.isOpen() && owner.equals(link.peer()))
                .findFirst();
    }
}
