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
 * Two processes that use each other's memory. A stream of the RPC engine carries requests and answers, and its end is the
 * end of everything lent either way. Operations have a queue pair for each direction, made when first needed and again
 * after an operation has failed.
 *
 * <pre>
 *   this side                                   peer
 *   connection: sends operations   ---------&gt;   its responder, in a domain of this side's regions there
 *   responder, in a domain of its  &lt;---------   its connection
 *   regions here
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
     * Makes a link whose stream is to be opened.
     *
     * @param context what it belongs to
     * @param account the peer's host, for quotas
     * @param opener whether this side opens the stream and greets first
     * @param ownAddress the own address on the way to the peer, null when it is not known
     */
    public PeerLink(LinkContext context, String account, boolean opener, @Nullable InetAddress ownAddress) {
        this.context = context;
        this.account = account;
        this.opener = opener;
        this.ownAddress = ownAddress;
        this.stream = new LinkStream(context.threads()::onControl, this);
        this.requests = new PendingRequests(this::send, toString(), context.answerTimeout());
        this.path = new OperationPath(context, requests, () -> this.ownAddress);
    }

    boolean isOpenedByPeer() {
        return !opener;
    }

    public LinkStream stream() {
        return stream;
    }

    /** Begins as the side that has opened the stream: greets. */
    void start(RpcStream opened, @Nullable InetAddress peerAddress) {
        stream.open(opened);
        send(0, new LinkMessage.Hello(LinkMessage.Hello.VERSION, context.id(), peerAddress));
    }

    /** Begins as the side that has accepted the stream: waits to be greeted, not for ever. */
    public void accept(RpcStream accepted) {
        stream.open(accepted);
        var _ = greeted.copy()
                .orTimeout(context.answerTimeout().toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((_, failure) -> {
                    if (failure != null) {
                        context.threads()
                                .onControl(() -> end(new RdmaRemoteMemoryException(
                                        Reason.TIMED_OUT, this + " did not say hello in time", failure)));
                    }
                });
    }

    @Override
    public String account() {
        return account;
    }

    /** Completed with the peer's identity when both know each other. */
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

    // Questions to the peer. Any thread.

    public CompletableFuture<RegionLease> allocate(long bytes, Set<RemoteRight> rights, long leaseNanos) {
        return borrow(new LinkMessage.Allocate(bytes, rights, leaseNanos), true);
    }

    public CompletableFuture<RegionLease> open(TokenSecret secret) {
        return borrow(new LinkMessage.Open(secret), false);
    }

    /** The lease counts from before the request, so it ends here before it ends there. */
    private CompletableFuture<RegionLease> borrow(LinkMessage request, boolean holderDecides) {
        long askedAt = context.clock().nanoTime();
        return requests.send(request, LinkMessage.Lent.class, lent -> {
            LeaseDeadline deadline = new LeaseDeadline(context.clock(), holderDecides, askedAt + lent.leaseNanos());
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

    // What comes from the peer. Control thread.

    @Override
    public void onFrame(byte[] frame) {
        if (lost != null) {
            return;
        }
        try {
            LinkCodec.Numbered numbered = LinkCodec.decode(frame);
            onMessage(numbered.number(), numbered.message());
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, this + " is given up", e);
            end(new RdmaRemoteMemoryException(Reason.PROTOCOL, this + " was given up: " + e.getMessage(), e));
        }
    }

    private void onMessage(int number, LinkMessage message) {
        if (message instanceof LinkMessage.Hello hello) {
            onHello(hello);
            return;
        }
        if (!greeted.isDone()) {
            throw new RdmaRemoteMemoryException(Reason.PROTOCOL, "it did not say hello first");
        }
        switch (message) {
            case LinkMessage.Connect connect -> answer(number, () -> connected(connect.initiator()));
            case LinkMessage.Allocate allocate ->
                answer(number, () -> context.lender().allocate(this, allocate));
            case LinkMessage.Open open -> answer(number, () -> context.lender().open(this, open));
            case LinkMessage.Renew renew ->
                answer(number, () -> context.lender().renew(this, renew));
            case LinkMessage.Free free ->
                context.lender().free(this, free, () -> answer(number, LinkMessage.Freed::new));
            case LinkMessage.Revoked revoked -> onRevoked(revoked);
            case LinkMessage.Credit credit -> onCredit(credit);
            default -> onAnswer(number, message);
        }
    }

    private void onHello(LinkMessage.Hello hello) {
        if (hello.version() != LinkMessage.Hello.VERSION || greeted.isDone()) {
            throw new RdmaRemoteMemoryException(
                    Reason.PROTOCOL,
                    "its hello has version " + hello.version() + ", this side knows " + LinkMessage.Hello.VERSION);
        }
        if (!opener) {
            ownAddress = hello.yourAddress();
            send(0, new LinkMessage.Hello(LinkMessage.Hello.VERSION, context.id(), null));
        }
        greeted.complete(hello.process());
    }

    /** What can be asked of the owner, answered. */
    private interface Answer {
        LinkMessage give();
    }

    private void answer(int number, Answer answer) {
        LinkMessage message;
        try {
            message = answer.give();
        } catch (RdmaRemoteMemoryException e) {
            context.counters().add(rejection(e.reason()));
            message = new LinkMessage.Rejected(e.reason(), String.valueOf(e.getMessage()));
        } catch (RdmaException e) {
            context.counters().add(Count.REFUSED_OTHER);
            message = new LinkMessage.Rejected(Reason.DEVICE, String.valueOf(e.getMessage()));
        }
        send(number, message);
        context.leaseExpiry().schedule();
    }

    private static Count rejection(Reason reason) {
        return switch (reason) {
            case UNKNOWN_TOKEN -> Count.REFUSED_UNKNOWN_TOKEN;
            case USED_TOKEN -> Count.REFUSED_USED_TOKEN;
            case FOREIGN_PEER -> Count.REFUSED_FOREIGN_PEER;
            case QUOTA -> Count.REFUSED_QUOTA;
            case RIGHTS -> Count.REFUSED_RIGHTS;
            default -> Count.REFUSED_OTHER;
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
        NotificationQueue notices = responder().notices();
        if (notices == null) {
            throw new RdmaRemoteMemoryException(
                    Reason.RIGHTS, "The owner's device takes no notices: ask without " + RemoteRight.NOTIFY + ".");
        }
        int slot = notices.add(region);
        context.watchNotifications(notices);
        return slot;
    }

    @Override
    public void afterNotifications(Runnable then) {
        LinkResponder answering = responder;
        context.afterNotifications(answering == null ? null : answering.notices(), then);
    }

    @Override
    public void removeNotifications(int slot) {
        NotificationQueue notices = responder().notices();
        if (notices != null) {
            notices.remove(slot);
        }
    }

    /** The end of the queue pair that the peer's operations come to, with the domain of what it was lent. */
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

    private void onAnswer(int number, LinkMessage message) {
        if (requests.answer(number, message)) {
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
                this + " is gone, and with it what was lent either way: " + why.getMessage() + ". Allocate again.",
                why));
    }

    /** Ends all that hangs on it: operations, requests, what is held, what is lent. A second call does nothing. */
    public void end(RdmaException why) {
        if (lost != null) {
            return;
        }
        lost = why;
        stream.cancel();
        try {
            reclaimAll();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, this + " did not end cleanly", e);
        }
        greeted.completeExceptionally(why);
        requests.fail(why);
        held.values().forEach(lease -> lease.revoke(Reason.LOST));
        held.clear();
        path.end();
        afterNotifications(this::closeResponder);
    }

    private void closeResponder() {
        LinkResponder answering = responder;
        try {
            if (answering != null) {
                context.forgetNotifications(answering.notices());
                answering.close();
            }
        } finally {
            context.links().remove(this);
        }
    }

    /** First the queue pair, so that nothing comes any more; then what it could reach. */
    private void reclaimAll() {
        LinkResponder answering = responder;
        try {
            if (answering != null) {
                answering.disconnect();
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
