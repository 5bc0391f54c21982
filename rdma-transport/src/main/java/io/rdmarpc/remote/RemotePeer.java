package io.rdmarpc.remote;

import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.link.LinkOpener;
import io.rdmarpc.remote.link.PeerLink;
import io.rdmarpc.remote.link.RegionLease;
import io.rdmarpc.remote.support.LeaseDurations;
import io.rdmarpc.remote.support.RemoteMemoryFailures;
import io.rdmarpc.remote.wire.TokenCodec;
import io.rdmarpc.rpc.RpcChannel;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The way to the memory of one target. Connects when first needed, and again when the peer has gone and come back; what
 * was lent before is lost then. Any thread.
 */
public final class RemotePeer implements AutoCloseable {

    private final MemoryCore core;
    private final LinkOpener opener;
    private final RpcChannel channel;
    private final String target;
    private final Consumer<RemotePeer> whenClosed;
    private @Nullable CompletableFuture<PeerLink> link;
    private boolean closed;

    RemotePeer(MemoryCore core, RpcChannel channel, String target, Consumer<RemotePeer> whenClosed) {
        this.core = core;
        this.opener = new LinkOpener(core, target);
        this.channel = channel;
        this.target = target;
        this.whenClosed = whenClosed;
    }

    /**
     * Connects now instead of when first needed.
     *
     * @return the identity of the peer's {@link RemoteMemory}, for grants
     * @throws RdmaRemoteMemoryException when the peer cannot be reached in time
     */
    public UUID connect() {
        return core.responseTimeout().await(connectAsync(), "the connection to " + target);
    }

    /**
     * Connects without waiting.
     *
     * @return completed with the identity of the peer's {@link RemoteMemory}
     */
    public CompletableFuture<UUID> connectAsync() {
        return core.threads().offControlThread(link().thenCompose(PeerLink::greeted));
    }

    /**
     * Allocates zeroed memory at the peer, and waits for it.
     *
     * @param bytes how many, over 0
     * @param lease how long, over 0; the owner may give less
     * @return the region, with rights to READ, WRITE and ATOMIC, to be freed by the caller; else it ends with its lease
     * @throws RdmaRemoteMemoryException when the peer refuses or cannot be reached
     */
    public RemoteRegion allocate(long bytes, Duration lease) {
        return allocate(bytes, RemoteRight.USUAL, lease);
    }

    /**
     * Allocates zeroed memory at the peer, and waits for it.
     *
     * @param bytes how many, over 0
     * @param rights what is to be done with it
     * @param lease how long, over 0; the owner may give less
     * @return the region, to be freed by the caller; else it ends with its lease
     * @throws RdmaRemoteMemoryException when the peer refuses or cannot be reached
     */
    public RemoteRegion allocate(long bytes, Set<RemoteRight> rights, Duration lease) {
        return core.responseTimeout()
                .await(allocateAsync(bytes, rights, lease), "an allocation of " + bytes + " bytes");
    }

    /**
     * Allocates zeroed memory at the peer.
     *
     * @param bytes how many, over 0
     * @param rights what is to be done with it
     * @param lease how long, over 0; the owner may give less
     * @return completed with the region; when it is cancelled before, the region is given back
     */
    public CompletableFuture<RemoteRegion> allocateAsync(long bytes, Set<RemoteRight> rights, Duration lease) {
        long nanos = LeaseDurations.check(lease).toNanos();
        return delivered(link().thenCompose(to -> to.allocate(bytes, Set.copyOf(rights), nanos)));
    }

    /**
     * Opens a grant of this peer, and waits for it.
     *
     * @param token from the peer; it opens once
     * @return the region, to be freed by the caller; else it ends with the grant
     * @throws RdmaRemoteMemoryException when the peer refuses or cannot be reached
     */
    public RemoteRegion open(RegionToken token) {
        return core.responseTimeout().await(openAsync(token), "the opening of " + token);
    }

    /**
     * Opens a grant of this peer.
     *
     * @param token from the peer; it opens once
     * @return completed with the region; when it is cancelled before, the region is given back
     */
    public CompletableFuture<RemoteRegion> openAsync(RegionToken token) {
        return delivered(link().thenCompose(to -> to.open(TokenCodec.secretOf(token))));
    }

    private CompletableFuture<RemoteRegion> delivered(CompletableFuture<RegionLease> lease) {
        return delivered(core, lease);
    }

    /** Gives the region back when nobody takes it any more. */
    static CompletableFuture<RemoteRegion> delivered(MemoryCore core, CompletableFuture<RegionLease> lease) {
        CompletableFuture<RemoteRegion> taken = new CompletableFuture<>();
        var _ = lease.whenComplete((got, failure) -> core.threads().offControl(() -> {
            if (failure != null) {
                taken.completeExceptionally(RemoteMemoryFailures.unwrapped(failure));
            } else if (!taken.complete(RemoteRegion.all(core, got))) {
                var _ = got.free();
            }
        }));
        return taken;
    }

    /**
     * Tells whether there is a connection now.
     *
     * @return true when the next request goes out without connecting
     */
    public synchronized boolean isConnected() {
        CompletableFuture<PeerLink> current = link;
        return current != null && LinkOpener.isUsable(current) && current.isDone();
    }

    private synchronized CompletableFuture<PeerLink> link() {
        if (closed) {
            return CompletableFuture.failedFuture(new RdmaRemoteMemoryException(
                    Reason.CLOSED, "The way to " + target + " was closed. Make another with RemoteMemory.peer."));
        }
        CompletableFuture<PeerLink> current = link;
        if (current == null || !LinkOpener.isUsable(current)) {
            current = opener.open(() -> channel.session(core.config().answerTimeout()));
            link = current;
        }
        return current;
    }

    /** Gives back all that was allocated or opened over it, and closes the connection. A second call does nothing. */
    @Override
    public void close() {
        CompletableFuture<PeerLink> current;
        synchronized (this) {
            closed = true;
            current = link;
            link = null;
        }
        if (current != null) {
            var _ = current.thenAccept(open -> core.threads()
                    .onControl(() -> open.end(new RdmaRemoteMemoryException(
                            Reason.LOST, "The way to " + target + " was closed on this side. Allocate again."))));
        }
        channel.close();
        whenClosed.accept(this);
    }

    @Override
    public String toString() {
        return target;
    }
}
