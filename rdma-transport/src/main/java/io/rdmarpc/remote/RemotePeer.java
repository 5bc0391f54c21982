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
 * A target whose memory this process uses. It connects at first use, and again after the peer was unreachable, by which
 * earlier leases are lost. Any thread.
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
     * Connects now instead of at first use.
     *
     * @return the identity of the peer's {@link RemoteMemory}, for grants
     * @throws RdmaRemoteMemoryException if the peer cannot be reached within the response timeout
     */
    public UUID connect() {
        return core.waiter().await(connectAsync(), "the connection to " + target);
    }

    /**
     * Connects without waiting.
     *
     * @return completes with the identity of the peer's {@link RemoteMemory}
     */
    public CompletableFuture<UUID> connectAsync() {
        return core.threads().offControlThread(link().thenCompose(PeerLink::greeted));
    }

    /**
     * Allocates zeroed memory at the peer, and waits for the response.
     *
     * @param bytes the size, at least 1
     * @param lease the duration, positive; the owner may shorten it
     * @return the region, with rights READ, WRITE and ATOMIC, to be freed by the caller; otherwise it ends with its
     *     lease
     * @throws RdmaRemoteMemoryException if the peer rejects it or is unreachable
     */
    public RemoteRegion allocate(long bytes, Duration lease) {
        return allocate(bytes, RemoteRight.USUAL, lease);
    }

    /**
     * Allocates zeroed memory at the peer, and waits for the response.
     *
     * @param bytes the size, at least 1
     * @param rights the rights of this process
     * @param lease the duration, positive; the owner may shorten it
     * @return the region, to be freed by the caller; otherwise it ends with its lease
     * @throws RdmaRemoteMemoryException if the peer rejects it or is unreachable
     */
    public RemoteRegion allocate(long bytes, Set<RemoteRight> rights, Duration lease) {
        return core.waiter().await(allocateAsync(bytes, rights, lease), "an allocation of " + bytes + " bytes");
    }

    /**
     * Allocates zeroed memory at the peer.
     *
     * @param bytes the size, at least 1
     * @param rights the rights of this process
     * @param lease the duration, positive; the owner may shorten it
     * @return completes with the region; if it is cancelled earlier, the region is freed
     */
    public CompletableFuture<RemoteRegion> allocateAsync(long bytes, Set<RemoteRight> rights, Duration lease) {
        long nanos = LeaseDurations.check(lease).toNanos();
        return delivered(link().thenCompose(to -> to.allocate(bytes, Set.copyOf(rights), nanos)));
    }

    /**
     * Opens a grant of this peer, and waits for the response.
     *
     * @param token a token of the peer; it opens once
     * @return the region, to be freed by the caller; otherwise it ends with the grant
     * @throws RdmaRemoteMemoryException if the peer rejects it or is unreachable
     */
    public RemoteRegion open(RegionToken token) {
        return core.waiter().await(openAsync(token), "opening " + token);
    }

    /**
     * Opens a grant of this peer.
     *
     * @param token a token of the peer; it opens once
     * @return completes with the region; if it is cancelled earlier, the region is freed
     */
    public CompletableFuture<RemoteRegion> openAsync(RegionToken token) {
        return delivered(link().thenCompose(to -> to.open(TokenCodec.secretOf(token))));
    }

    private CompletableFuture<RemoteRegion> delivered(CompletableFuture<RegionLease> lease) {
        return delivered(core, lease);
    }

    /** Converts a lease into a region. If the caller has cancelled the future, the lease is freed. */
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
     * Returns whether a connection exists now.
     *
     * @return true if the next request needs no connection setup
     */
    public synchronized boolean isConnected() {
        CompletableFuture<PeerLink> current = link;
        return current != null && LinkOpener.isUsable(current) && current.isDone();
    }

    private synchronized CompletableFuture<PeerLink> link() {
        if (closed) {
            return CompletableFuture.failedFuture(new RdmaRemoteMemoryException(
                    Reason.CLOSED, "The target " + target + " was closed. Create another with RemoteMemory.peer."));
        }
        CompletableFuture<PeerLink> current = link;
        if (current == null || !LinkOpener.isUsable(current)) {
            current = opener.open(() -> channel.session(core.config().responseTimeout()));
            link = current;
        }
        return current;
    }

    /** Frees all its regions and closes the connection. A second call has no effect. */
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
                            Reason.LOST, "The target " + target + " was closed on this side. Allocate again."))));
        }
        channel.close();
        whenClosed.accept(this);
    }

    @Override
    public String toString() {
        return target;
    }
}
