package io.rdmarpc.remote.link;

import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.lender.LeaseHolder;
import io.rdmarpc.remote.lender.LentRegion;
import io.rdmarpc.remote.notification.NotificationQueue;
import io.rdmarpc.remote.support.RemoteMemoryCounters.Count;
import io.rdmarpc.remote.wire.LinkCodec;
import io.rdmarpc.remote.wire.LinkMessage;
import io.rdmarpc.remote.wire.TokenSecret;
import io.rdmarpc.rpc.RpcStream;
import io.rdmarpc.verbs.connect.QueuePairEndpoint;
import io.rdmarpc.verbs.error.RdmaException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A link between two processes that use each other's memory. A stream of the RPC engine carries requests and responses.
 * The end of the stream ends all leases in both directions. Operations use a queue pair for each direction, which is
 * created at first use and again after an operation has failed.
 *
 * <pre>
 *   this side                                   peer
 *   connection: sends operations   ---------&gt;   its responder, in the domain of regions lent to this side
 *   responder, in the domain of    &lt;---------   its connection
 *   regions lent to the peer
 * </pre>
 */
public final class PeerLink implements LinkStream.Receiver, LeaseHolder {

    private static final System.Logger LOG = System.getLogger(PeerLink.class.getName());

    private final LinkContext context;
    private final String account;
    private final boolean opener;
    private final LinkStream stream;
    private final PendingRequests requests;
    private final OperationPath path;
    private final Map<Long, RegionLease> held = new ConcurrentHashMap<>();
    private final CompletableFuture<UUID> greeted = new CompletableFuture<>();
    private volatile @Nullable InetAddress ownAddress;
    private volatile @Nullable RdmaException lost;

    // Control thread.
    private @Nullable LinkResponder responder;

    /**
     * Creates a link without a stream.
     *
     * @param context the remote memory of the link
     * @param account the peer's host, on which quotas count
     * @param opener whether this side opens the stream and sends HELLO first
     * @param ownAddress the local address toward the peer, null if unknown
     */
    public PeerLink(LinkContext context, String account, boolean opener, @Nullable InetAddress ownAddress) {
        this.context = context;
        this.account = account;
        this.opener = opener;
        this.ownAddress = ownAddress;
        this.stream = new LinkStream(context.threads()::onControl, this);
        this.requests = new PendingRequests(this::send, toString(), context.responseTimeout());
        this.path = new OperationPath(context, requests, () -> this.ownAddress);
    }

    boolean isOpenedByPeer() {
        return !opener;
    }

    public LinkStream stream() {
        return stream;
    }

    /** Starts the link on the side that has opened the stream: sends HELLO. */
    void start(RpcStream opened, @Nullable InetAddress peerAddress) {
        stream.open(opened);
        send(0, new LinkMessage.Hello(LinkMessage.Hello.VERSION, context.id(), peerAddress));
    }

    /** Starts the link on the side that has accepted the stream: waits for HELLO until the response timeout. */
    public void accept(RpcStream accepted) {
        stream.open(accepted);
        var _ = greeted.copy()
                .orTimeout(context.responseTimeout().toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((_, failure) -> {
                    if (failure != null) {
                        context.threads()
                                .onControl(() -> end(new RdmaRemoteMemoryException(
                                        Reason.TIMED_OUT,
                                        this + " did not send HELLO in time. Check that it uses the same release",
                                        failure)));
                    }
                });
    }

    @Override
    public String account() {
        return account;
    }

    /** Returns a future that completes with the peer's identity after its HELLO. */
    public CompletableFuture<UUID> greeted() {
        return greeted;
    }

    @Override
    public @Nullable UUID peer() {
        return greeted.isDone() && !greeted.isCompletedExceptionally() ? greeted.join() : null;
    }

    public boolean isOpen() {
        return lost == null;
    }

    // Requests to the peer. Any thread.

    public CompletableFuture<RegionLease> allocate(long bytes, Set<RemoteRight> rights, long leaseNanos) {
        return borrow(new LinkMessage.Allocate(bytes, rights, leaseNanos), true);
    }

    public CompletableFuture<RegionLease> open(TokenSecret secret) {
        return borrow(new LinkMessage.Open(secret), false);
    }

    /** The lease starts before the request is sent, so that it ends on this side first. */
    private CompletableFuture<RegionLease> borrow(LinkMessage request, boolean holderDecides) {
        long requestedAt = context.clock().nanoTime();
        return requests.send(request, LinkMessage.Lent.class, lent -> {
            LeaseDeadline deadline = new LeaseDeadline(context.clock(), holderDecides, requestedAt + lent.leaseNanos());
            RegionLease lease = new RegionLease(context, this, lent, deadline);
            held.put(lent.id(), lease);
            return lease;
        });
    }

    CompletableFuture<Long> renew(long id, long leaseNanos) {
        return requests.send(
                new LinkMessage.Renew(id, leaseNanos), LinkMessage.Renewed.class, LinkMessage.Renewed::leaseNanos);
    }

    CompletableFuture<Void> free(long id) {
        held.remove(id);
        return requests.send(new LinkMessage.Free(id), LinkMessage.Freed.class, Function.identity())
                .thenApply(_ -> null);
    }

    public Stream<RegionLease> held() {
        return held.values().stream();
    }

    public int heldRegions() {
        return held.size();
    }

    private void send(int number, LinkMessage message) {
        stream.send(LinkCodec.encode(number, message));
    }

    @Override
    public void send(LinkMessage message) {
        send(0, message);
    }

    public OperationPath path() {
        return path;
    }

    // Messages from the peer. Control thread.

    @Override
    public void onFrame(byte[] frame) {
        if (lost != null) {
            return;
        }
        try {
            LinkCodec.Numbered numbered = LinkCodec.decode(frame);
            onMessage(numbered.number(), numbered.message());
        } catch (RuntimeException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The link with " + this + " is closed because of an invalid message",
                    e);
            end(new RdmaRemoteMemoryException(
                    Reason.PROTOCOL, "The link with " + this + " was closed: " + e.getMessage(), e));
        }
    }

    private void onMessage(int number, LinkMessage message) {
        if (message instanceof LinkMessage.Hello hello) {
            onHello(hello);
            return;
        }
        if (!greeted.isDone()) {
            throw new RdmaRemoteMemoryException(Reason.PROTOCOL, "the peer did not send HELLO first");
        }
        switch (message) {
            case LinkMessage.Connect connect -> respond(number, () -> connected(connect.initiator()));
            case LinkMessage.Allocate allocate ->
                respond(number, () -> context.lender().allocate(this, allocate));
            case LinkMessage.Open open -> respond(number, () -> context.lender().open(this, open));
            case LinkMessage.Renew renew ->
                respond(number, () -> context.lender().renew(this, renew));
            case LinkMessage.Free free ->
                context.lender().free(this, free, () -> respond(number, LinkMessage.Freed::new));
            case LinkMessage.Revoked revoked -> onRevoked(revoked);
            case LinkMessage.Credit credit -> onCredit(credit);
            default -> onResponse(number, message);
        }
    }

    private void onHello(LinkMessage.Hello hello) {
        if (hello.version() != LinkMessage.Hello.VERSION || greeted.isDone()) {
            throw new RdmaRemoteMemoryException(
                    Reason.PROTOCOL,
                    "its HELLO is repeated or has version " + hello.version() + ", this side uses version "
                            + LinkMessage.Hello.VERSION);
        }
        if (!opener) {
            ownAddress = hello.yourAddress();
            send(0, new LinkMessage.Hello(LinkMessage.Hello.VERSION, context.id(), null));
        }
        greeted.complete(hello.process());
    }

    /** Creates the response to a request. */
    private interface Response {
        LinkMessage create();
    }

    private void respond(int number, Response response) {
        LinkMessage message;
        try {
            message = response.create();
        } catch (RdmaRemoteMemoryException e) {
            context.counters().add(rejectionCount(e.reason()));
            message = new LinkMessage.Rejected(e.reason(), String.valueOf(e.getMessage()));
        } catch (RdmaException e) {
            context.counters().add(Count.REJECTED_OTHER);
            message = new LinkMessage.Rejected(Reason.DEVICE, String.valueOf(e.getMessage()));
        }
        send(number, message);
        context.leaseExpiry().schedule();
    }

    private static Count rejectionCount(Reason reason) {
        return switch (reason) {
            case UNKNOWN_TOKEN -> Count.REJECTED_UNKNOWN_TOKEN;
            case USED_TOKEN -> Count.REJECTED_USED_TOKEN;
            case FOREIGN_PEER -> Count.REJECTED_FOREIGN_PEER;
            case QUOTA -> Count.REJECTED_QUOTA;
            case RIGHTS -> Count.REJECTED_RIGHTS;
            default -> Count.REJECTED_OTHER;
        };
    }

    private LinkMessage connected(QueuePairEndpoint initiator) {
        return new LinkMessage.Connected(responder().connect(initiator, context.gidFor(ownAddress)));
    }

    @Override
    public MemoryRegion register(MemorySegment memory, Set<RemoteRight> rights) {
        return responder().register(memory, rights);
    }

    @Override
    public int addNotifications(LentRegion region) {
        NotificationQueue notifications = responder().notifications();
        if (notifications == null) {
            throw new RdmaRemoteMemoryException(
                    Reason.RIGHTS,
                    "The owner's device does not support notifications. Request rights without " + RemoteRight.NOTIFY
                            + ".");
        }
        int slot = notifications.add(region);
        context.watchNotifications(notifications);
        return slot;
    }

    @Override
    public void afterNotifications(Runnable then) {
        LinkResponder current = responder;
        context.afterNotifications(current == null ? null : current.notifications(), then);
    }

    @Override
    public void removeNotifications(int slot) {
        NotificationQueue notifications = responder().notifications();
        if (notifications != null) {
            notifications.remove(slot);
        }
    }

    /**
     * Returns the responder with the queue pair and the protection domain for the peer's operations; creates it if
     * needed.
     */
    private LinkResponder responder() {
        LinkResponder current = responder;
        if (current == null) {
            current = context.newResponder();
            responder = current;
        }
        return current;
    }

    private void onRevoked(LinkMessage.Revoked revoked) {
        RegionLease lease = held.remove(revoked.id());
        if (lease != null) {
            lease.revoke(revoked.reason());
        }
    }

    private void onCredit(LinkMessage.Credit credit) {
        RegionLease lease = held.get(credit.id());
        if (lease != null) {
            lease.credit(credit.records());
        }
    }

    private void onResponse(int number, LinkMessage message) {
        if (requests.complete(number, message)) {
            return;
        }
        if (message instanceof LinkMessage.Lent tooLate) {
            send(requests.nextNumber(), new LinkMessage.Free(tooLate.id()));
        }
    }

    @Override
    public void onLost(RdmaException why) {
        end(new RdmaRemoteMemoryException(
                Reason.LOST,
                "The link with " + this + " ended, and with it all leases: " + why.getMessage() + ". Allocate again.",
                why));
    }

    /** Ends the link with all operations, requests and leases in both directions. A second call has no effect. */
    public void end(RdmaException why) {
        if (lost != null) {
            return;
        }
        lost = why;
        stream.cancel();
        try {
            reclaimAll();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "Revoking the regions of " + this + " failed", e);
        }
        greeted.completeExceptionally(why);
        requests.fail(why);
        held.values().forEach(lease -> lease.revoke(Reason.LOST));
        held.clear();
        path.end();
        afterNotifications(this::closeResponder);
    }

    private void closeResponder() {
        LinkResponder current = responder;
        try {
            if (current != null) {
                context.forgetNotifications(current.notifications());
                current.close();
            }
        } finally {
            context.links().remove(this);
        }
    }

    /** Destroys the queue pair first, so that no further access arrives, and then revokes the regions. */
    private void reclaimAll() {
        LinkResponder current = responder;
        try {
            if (current != null) {
                current.disconnect();
            }
        } finally {
            context.lender().reclaim(this);
        }
    }

    @Override
    public String toString() {
        return "the peer at " + account;
    }
}
