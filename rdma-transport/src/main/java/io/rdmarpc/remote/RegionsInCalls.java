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
 * Regions as parts of messages. A message carries the token of a region, and the data stays with its owner until it is
 * read. For serializers. Any thread.
 */
public final class RegionsInCalls {

    private final MemoryCore core;
    private final SessionLinks overSessions;

    RegionsInCalls(MemoryCore core) {
        this.core = core;
        this.overSessions = new SessionLinks(core);
    }

    /**
     * Connects to the peer of a session, so that calls over the session can contain regions.
     *
     * @param session the session
     * @return completes with the identity of the peer's {@link RemoteMemory}
     */
    public CompletableFuture<UUID> connectOver(RpcSession session) {
        return core.threads().offControlThread(overSessions.of(session).thenCompose(PeerLink::greeted));
    }

    /**
     * Connects to the peer of a session, and waits for the connection.
     *
     * @param session the session
     * @return the identity of the peer's {@link RemoteMemory}
     * @throws RdmaRemoteMemoryException if the peer has no remote memory, or does not respond in time
     */
    public UUID peerOver(RpcSession session) {
        return core.waiter()
                .await(
                        connectOver(session),
                        "the connection to the memory of " + session.info().peer());
    }

    /**
     * Returns the token of a region.
     *
     * @param region lent by {@link RemoteMemory#lend}; or received in a call and not used yet, and then passed on to
     *     the receiver
     * @param onlyFor the peer that may open the token, null for any peer
     * @return a token that opens once
     * @throws RdmaRemoteMemoryException if the region was allocated or opened at a peer, or its lease has expired
     */
    public RegionToken tokenOf(RemoteRegion region, @Nullable UUID onlyFor) {
        return region.token(onlyFor);
    }

    /**
     * Returns the region of a token. The owner is contacted when the region is first used.
     *
     * @param token the token from a message; it opens once
     * @param from the session of the message, over which a link to the owner can be opened; null if the owner has
     *     opened a link
     * @return the region, to be freed by the receiver of the message; otherwise it ends with the grant
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
                // The link may lead to a process that is not the owner. Then the second lookup reports the missing
                // connection.
                : overSessions.of(from).exceptionally(RegionsInCalls::ownerLost).thenCompose(_ -> linkTo(owner));
    }

    private static PeerLink ownerLost(Throwable failure) {
        RdmaException known = RemoteMemoryFailures.unwrapped(failure);
        throw known instanceof RdmaRemoteMemoryException
                ? known
                : new RdmaRemoteMemoryException(
                        Reason.LOST,
                        "The owner of the region is unreachable: " + known.getMessage() + ". Request another region.",
                        known);
    }

    /** Waits for links whose peer has not sent HELLO yet, because a token can arrive in a call before that. */
    CompletableFuture<PeerLink> linkTo(UUID owner) {
        return openLink(owner)
                .map(CompletableFuture::completedFuture)
                .orElseGet(() -> core.links()
                        .greetings()
                        .thenCompose(_ -> openLink(owner)
                                .map(CompletableFuture::completedFuture)
                                .orElseGet(() -> CompletableFuture.failedFuture(new RdmaRemoteMemoryException(
                                        Reason.LOST,
                                        "No connection exists to the owner " + owner
                                                + " of the token. Connect to it with"
                                                + " RemoteMemory.peer(..).connect(), or connect from the owner to "
                                                + "this process.")))));
    }

    private Optional<PeerLink> openLink(UUID owner) {
        return core.links().stream()
                .filter(link -> link.isOpen() && owner.equals(link.peer()))
                .findFirst();
    }
}
