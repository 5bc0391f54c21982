package io.rdmarpc.remote;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.async.PollingMode;
import io.rdmarpc.async.RdmaConnection;
import io.rdmarpc.async.RdmaNode;
import io.rdmarpc.async.RdmaNodeConfig;
import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.memory.PageSource;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RegionGrant;
import io.rdmarpc.remote.lease.RemoteMemorySnapshot;
import io.rdmarpc.remote.lease.WriteListener;
import io.rdmarpc.remote.lease.WriteNotification;
import io.rdmarpc.remote.lender.GrantOwner;
import io.rdmarpc.remote.lender.LeaseExpiry;
import io.rdmarpc.remote.lender.Lender;
import io.rdmarpc.remote.lender.LentRegion;
import io.rdmarpc.remote.lender.LocalGrant;
import io.rdmarpc.remote.lender.NotificationHandler;
import io.rdmarpc.remote.link.LinkContext;
import io.rdmarpc.remote.link.LinkRegistry;
import io.rdmarpc.remote.link.LinkResponder;
import io.rdmarpc.remote.link.PeerLink;
import io.rdmarpc.remote.link.RegionLease;
import io.rdmarpc.remote.notification.NotificationQueue;
import io.rdmarpc.remote.notification.NotificationThread;
import io.rdmarpc.remote.support.MemoryThreads;
import io.rdmarpc.remote.support.RemoteMemoryCounters;
import io.rdmarpc.remote.support.RemoteMemoryCounters.Count;
import io.rdmarpc.remote.support.ResponseTimeout;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.VerbsProviders;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.connect.ConnectionSettings;
import io.rdmarpc.verbs.connect.PortGids;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The state that the links of one {@link RemoteMemory} share: the device, the control thread, grants and leases. */
final class MemoryCore implements GrantOwner, LinkContext {

    /**
     * Maximum length of an operation, even if the device supports more. Longer ones are split, so that they delay
     * shorter operations less.
     */
    static final long FRAGMENT_BYTES = 1 << 28;

    /** Smaller regions are not mapped by peers on this host, because each mapped region needs a file. */
    private static final long MIN_MAPPED_BYTES = 256 << 10;

    private final UUID id = UUID.randomUUID();
    private final RemoteMemoryConfig config;
    private final RdmaContext context;
    private final RdmaNode node;
    private final PortGids gids;
    private final CompletionQueue unused;
    private final long maxOperationBytes;
    private final NanoClock clock;
    private final RemoteMemoryCounters counters = new RemoteMemoryCounters();
    private final Lender lender;
    private final StagingBuffers staging;
    private final @Nullable NotificationThread notifications;
    private final LinkRegistry links;
    private final MemoryThreads threads;
    private final LeaseExpiry leaseExpiry;
    private final ResponseTimeout waiter;
    private volatile @Nullable WriteListener listener;

    private MemoryCore(RemoteMemoryConfig config, RdmaContext context, RdmaNode node, NanoClock clock) {
        this.config = config;
        this.context = context;
        this.node = node;
        this.clock = clock;
        this.gids = PortGids.of(context, config.device().device().port());
        this.unused = context.createCompletionQueue(1);
        this.maxOperationBytes = Math.min(
                FRAGMENT_BYTES,
                context.queryPort(config.device().device().port()).maxMessageBytes());
        this.lender = new Lender(clock, config.limits(), this::allocate, counters);
        this.links = new LinkRegistry(config.limits().maxLinksPerPeer());
        this.staging = new StagingBuffers(node);
        this.notifications = createNotifications();
        this.threads = new MemoryThreads(context.deviceName());
        this.leaseExpiry = new LeaseExpiry(lender, threads, clock);
        this.waiter = new ResponseTimeout(config.responseTimeout());
    }

    private @Nullable NotificationThread createNotifications() {
        try {
            return new NotificationThread(
                    context.createCompletionChannel(), this::deliver, "rdma-notifications-" + context.deviceName());
        } catch (RdmaVerbsException e) {
            if (e.errno() == Errno.EOPNOTSUPP) {
                return null;
            }
            throw e;
        }
    }

    static MemoryCore open(RemoteMemoryConfig config, NanoClock clock) {
        RdmaNodeConfig.Device wanted = config.device().device();
        if (config.device().polling() == PollingMode.MANUAL) {
            throw new RdmaConfigurationException(
                    "polling",
                    PollingMode.MANUAL,
                    "peers access memory while no thread polls",
                    "Use AUTO, EVENTS or THREAD");
        }
        RdmaContext context = VerbsProviders.open(wanted.provider(), wanted.name(), wanted.port(), options(wanted))
                .context();
        RdmaNode node = RdmaNode.open(context, initiating(config.device()));
        try {
            return new MemoryCore(config, context, node, clock);
        } catch (RuntimeException | Error e) {
            node.close();
            throw e;
        }
    }

    /**
     * Adds defaults for a software RNIC. It uses any free port, because the engine's RNIC has the default port. It has
     * no progress thread, because the node's polling thread runs it.
     */
    private static Map<String, String> options(RdmaNodeConfig.Device wanted) {
        Map<String, String> options = new HashMap<>(wanted.options());
        options.putIfAbsent("soft.port", "0");
        options.putIfAbsent("soft.progress", "owner");
        return options;
    }

    /**
     * Returns settings for queue pairs that only send operations; they allow the peer no access. RNR retries are
     * infinite, because a peer whose listener is slow does not post receives in time. A limit would end the connection
     * and all other operations on it.
     */
    private static RdmaNodeConfig initiating(RdmaNodeConfig config) {
        ConnectionSettings settings = config.connection();
        ConnectionSettings.Retries retries = settings.retries();
        return config.withConnection(settings.withAccess()
                .withReads(settings.reads().asInitiator(), 0)
                .withRetries(retries.timeout(), retries.retryCount(), QueuePairAttributes.RNR_RETRY_INFINITE));
    }

    /** Allocates memory for peers; regions of 256 KiB and more can be mapped by peers on this host. */
    private MemorySegment allocate(Arena arena, long bytes) {
        PageSource source = bytes < MIN_MAPPED_BYTES ? PageSource.ORDINARY : PageSource.lendable(context);
        return source.allocate(arena, bytes);
    }

    /** Allocates and registers memory for local operations and for grants. */
    LocalRegion allocateLocal(long bytes) {
        if (bytes < MIN_MAPPED_BYTES) {
            return node.allocate(bytes);
        }
        Arena arena = Arena.ofShared();
        LocalRegion region = null;
        try {
            region = node.register(allocate(arena, bytes), AccessFlag.LOCAL_WRITE);
            var _ = region.released().thenRun(arena::close);
            return region;
        } finally {
            if (region == null) {
                arena.close();
            }
        }
    }

    @Override
    public UUID id() {
        return id;
    }

    @Override
    public Duration responseTimeout() {
        return config.responseTimeout();
    }

    RemoteMemoryConfig config() {
        return config;
    }

    @Override
    public RdmaNode node() {
        return node;
    }

    @Override
    public NanoClock clock() {
        return clock;
    }

    String deviceName() {
        return context.deviceName();
    }

    /** Returns the length above which operations are split, in bytes. */
    long maxOperationBytes() {
        return maxOperationBytes;
    }

    @Override
    public RemoteMemoryCounters counters() {
        return counters;
    }

    @Override
    public MemoryThreads threads() {
        return threads;
    }

    ResponseTimeout waiter() {
        return waiter;
    }

    @Override
    public Lender lender() {
        return lender;
    }

    @Override
    public LeaseExpiry leaseExpiry() {
        return leaseExpiry;
    }

    StagingBuffers staging() {
        return staging;
    }

    @Override
    public GidEntry gidFor(@Nullable InetAddress ownAddress) {
        int index = config.device().device().gidIndex();
        return index == RdmaNodeConfig.AUTO_GID
                ? gids.ofAddress(ownAddress).orElseGet(() -> gids.choose(index))
                : gids.choose(index);
    }

    @Override
    public LinkResponder newResponder() {
        return new LinkResponder(
                context,
                config.device().device().port(),
                unused,
                config.device().connection(),
                notifications == null ? null : notifications.channel());
    }

    // Grants.

    @Override
    public void extend(LocalGrant grant, Duration lease) {
        threads.onControl(() -> {
            lender.extend(grant, lease);
            leaseExpiry.schedule();
        });
    }

    @Override
    public void end(LocalGrant grant) {
        threads.onControl(() -> lender.close(grant));
    }

    @Override
    public void awaitEnd(LocalGrant grant, CompletableFuture<Void> end) {
        if (!isListening()) {
            waiter.await(end, "the end of " + grant);
        }
    }

    @Override
    public <T> CompletableFuture<T> offControlThread(CompletableFuture<T> inner) {
        return threads.offControlThread(inner);
    }

    /** Describes leases and grants at this moment, in both directions. Control thread. */
    RemoteMemorySnapshot snapshot(int limit) {
        long now = clock.nanoTime();
        return new RemoteMemorySnapshot(
                lender.lent(now, limit),
                lender.granted(now, limit),
                links.stream()
                        .flatMap(PeerLink::held)
                        .limit(limit)
                        .map(RegionLease::describe)
                        .toList());
    }

    // Notifications.

    @Override
    public void watchNotifications(NotificationQueue queue) {
        if (notifications != null) {
            notifications.watch(queue);
        }
    }

    @Override
    public void forgetNotifications(@Nullable NotificationQueue queue) {
        if (notifications != null && queue != null) {
            notifications.forget(queue);
        }
    }

    @Override
    public void afterNotifications(@Nullable NotificationQueue queue, Runnable then) {
        if (notifications == null
                || queue == null
                || !notifications.afterPending(queue, () -> threads.onControl(then))) {
            then.run();
        }
    }

    /**
     * Returns whether the calling thread runs listeners. Such a thread must not wait for listeners: it would deadlock.
     */
    boolean isListening() {
        return notifications != null && notifications.isCurrent();
    }

    /** Sets the listener for regions without their own listener. */
    void onWrite(@Nullable WriteListener next) {
        listener = next;
    }

    /** Runs on the notification thread. */
    private void deliver(NotificationQueue.Notification notification) {
        LentRegion region = notification.region();
        LocalGrant grant = region.grant();
        NotificationHandler handler = grant == null ? null : grant.notificationHandler();
        if (handler != null) {
            counters.add(Count.NOTIFICATIONS);
            handler.onNotification(region, notification.bytes(), notification.tag());
            return;
        }
        UUID peer = region.holder().peer();
        WriteListener own = grant == null ? null : grant.listener();
        WriteListener target = own == null ? listener : own;
        if (target != null && peer != null) {
            counters.add(Count.NOTIFICATIONS);
            target.onWrite(new WriteNotification(
                    peer,
                    Optional.<RegionGrant>ofNullable(grant),
                    region.memory(),
                    notification.bytes(),
                    notification.tag()));
        }
    }

    // Links.

    @Override
    public LinkRegistry links() {
        return links;
    }

    @Override
    public void closeSoon(RdmaConnection connection) {
        threads.offControl(connection::close);
    }

    /** Ends all links and all leases over them. Control thread. */
    void endLinks(RdmaRemoteMemoryException why) {
        links.stream().forEach(link -> link.end(why));
    }

    /** Ends all links and leases, and closes the device. */
    void close() {
        threads.runLast(this::endAll);
        if (notifications != null) {
            // The close delivers pending notifications. Afterwards the control thread releases the memory that
            // listeners used.
            notifications.close();
        }
        threads.close();
        unused.close();
        node.close();
    }

    private void endAll() {
        leaseExpiry.close();
        endLinks(new RdmaRemoteMemoryException(Reason.LOST, "Remote memory was closed on this side. Open it again."));
        lender.endAll();
    }
}
