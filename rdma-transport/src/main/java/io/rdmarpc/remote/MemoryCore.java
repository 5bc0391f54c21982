package io.rdmarpc.remote;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.async.PollingMode;
import io.rdmarpc.async.RdmaConnection;
import io.rdmarpc.async.RdmaNode;
import io.rdmarpc.async.RdmaNodeConfig;
import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.memory.PageSource;
import io.rdmarpc.remote.Counters.Count;
import io.rdmarpc.remote.RemoteMemoryException.Reason;
import io.rdmarpc.verbs.AccessFlag;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ConnectionSettings;
import io.rdmarpc.verbs.Errno;
import io.rdmarpc.verbs.GidEntry;
import io.rdmarpc.verbs.PortGids;
import io.rdmarpc.verbs.QueuePairAttributes;
import io.rdmarpc.verbs.RdmaConfigurationException;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.VerbsException;
import io.rdmarpc.verbs.VerbsProviders;
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

/** What the links of one {@link RemoteMemory} share: the device, the control thread, what is lent. */
final class MemoryCore implements GrantOwner {

    /** Longer operations are cut, even where a device takes more: shorter ones are not held up so long. */
    static final long FRAGMENT_BYTES = 1 << 28;

    /** Smaller regions are sent to peers on this host, too: memory that they can map costs a file each. */
    private static final long LEAST_MAPPED_BYTES = 256 << 10;

    private final UUID id = UUID.randomUUID();
    private final RemoteMemoryConfig config;
    private final RdmaContext context;
    private final RdmaNode node;
    private final PortGids gids;
    private final CompletionQueue unused;
    private final long mostBytesAtOnce;
    private final NanoClock clock;
    private final Counters counters = new Counters();
    private final Lender lender;
    private final Staging staging;
    private final @Nullable NoticeThread notices;
    private final Links links;
    private final MemoryThreads threads;
    private final LeaseWatch leaseWatch;
    private final Patience patience;
    private volatile @Nullable WriteListener listener;

    private MemoryCore(RemoteMemoryConfig config, RdmaContext context, RdmaNode node, NanoClock clock) {
        this.config = config;
        this.context = context;
        this.node = node;
        this.clock = clock;
        this.gids = PortGids.of(context, config.device().device().port());
        this.unused = context.createCompletionQueue(1);
        this.mostBytesAtOnce = Math.min(
                FRAGMENT_BYTES,
                context.queryPort(config.device().device().port()).maxMessageBytes());
        this.lender = new Lender(clock, config.limits(), this::allocate, counters);
        this.links = new Links(config.limits().maxLinksPerPeer());
        this.staging = new Staging(node);
        this.notices = createNotices();
        this.threads = new MemoryThreads(context.deviceName());
        this.leaseWatch = new LeaseWatch(lender, threads, clock);
        this.patience = new Patience(config.answerTimeout());
    }

    private @Nullable NoticeThread createNotices() {
        try {
            return new NoticeThread(
                    context.createCompletionChannel(), this::tell, "rdma-notices-" + context.deviceName());
        } catch (VerbsException e) {
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
                    "polling", PollingMode.MANUAL, "memory is lent while nobody calls", "Use AUTO, EVENTS or THREAD");
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

    /** The engine's software RNIC has the usual port; the node's own thread moves this one on. */
    private static Map<String, String> options(RdmaNodeConfig.Device wanted) {
        Map<String, String> options = new HashMap<>(wanted.options());
        options.putIfAbsent("soft.port", "0");
        options.putIfAbsent("soft.progress", "owner");
        return options;
    }

    /**
     * Queue pairs that send operations let the peer do nothing. They wait as long as its listener takes no notices: that is
     * slow, no failure, and its end would take every other operation with it.
     */
    private static RdmaNodeConfig initiating(RdmaNodeConfig config) {
        ConnectionSettings settings = config.connection();
        ConnectionSettings.Retries retries = settings.retries();
        return config.withConnection(settings.withAccess()
                .withReads(settings.reads().asInitiator(), 0)
                .withRetries(retries.timeout(), retries.retryCount(), QueuePairAttributes.RNR_RETRY_INFINITE));
    }

    /** Where memory for peers comes from. */
    private MemorySegment allocate(Arena arena, long bytes) {
        PageSource source = bytes < LEAST_MAPPED_BYTES ? PageSource.ORDINARY : PageSource.lendable(context);
        return source.allocate(arena, bytes);
    }

    /** Memory for own operations and for grants. */
    LocalRegion allocateLocal(long bytes) {
        if (bytes < LEAST_MAPPED_BYTES) {
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

    RemoteMemoryConfig config() {
        return config;
    }

    RdmaNode node() {
        return node;
    }

    NanoClock clock() {
        return clock;
    }

    String deviceName() {
        return context.deviceName();
    }

    /** Longer operations are cut. */
    long mostBytesAtOnce() {
        return mostBytesAtOnce;
    }

    Counters counters() {
        return counters;
    }

    MemoryThreads threads() {
        return threads;
    }

    Patience patience() {
        return patience;
    }

    Lender lender() {
        return lender;
    }

    LeaseWatch leaseWatch() {
        return leaseWatch;
    }

    Staging staging() {
        return staging;
    }

    GidEntry gidFor(@Nullable InetAddress ownAddress) {
        int index = config.device().device().gidIndex();
        return index == RdmaNodeConfig.AUTO_GID
                ? gids.ofAddress(ownAddress).orElseGet(() -> gids.choose(index))
                : gids.choose(index);
    }

    Responder newResponder() {
        return new Responder(
                context,
                config.device().device().port(),
                unused,
                config.device().connection(),
                notices == null ? null : notices.channel());
    }

    // Grants.

    @Override
    public void extend(RegionGrant grant, Duration lease) {
        threads.onControl(() -> {
            lender.extend(grant, lease);
            leaseWatch.look();
        });
    }

    @Override
    public void end(RegionGrant grant) {
        threads.onControl(() -> lender.close(grant));
    }

    @Override
    public void awaitEnd(RegionGrant grant, CompletableFuture<Void> end) {
        if (!isListening()) {
            patience.await(end, "the end of " + grant);
        }
    }

    @Override
    public <T> CompletableFuture<T> outward(CompletableFuture<T> inner) {
        return threads.outward(inner);
    }

    /** Describes what is lent at the moment, either way. Control thread. */
    RemoteMemorySnapshot snapshot(int most) {
        long now = clock.nanoTime();
        return new RemoteMemorySnapshot(
                lender.lent(now, most),
                lender.granted(now, most),
                links.stream()
                        .flatMap(PeerLink::held)
                        .limit(most)
                        .map(RegionLease::describe)
                        .toList());
    }

    // Notices.

    void watchNotices(NoticeQueue queue) {
        if (notices != null) {
            notices.watch(queue);
        }
    }

    void forgetNotices(@Nullable NoticeQueue queue) {
        if (notices != null && queue != null) {
            notices.forget(queue);
        }
    }

    /** Goes on, on the control thread, when the listeners were told of all notices that have come by now. */
    void afterNotices(@Nullable NoticeQueue queue, Runnable then) {
        if (notices == null || queue == null || !notices.afterPending(queue, () -> threads.onControl(then))) {
            then.run();
        }
    }

    /** Tells whether a listener runs here: who waits for the listeners waits for ever. */
    boolean isListening() {
        return notices != null && notices.isCurrent();
    }

    /** Sets the listener of regions without one of their own. */
    void onWrite(@Nullable WriteListener next) {
        listener = next;
    }

    /** Notices thread. */
    private void tell(NoticeQueue.Notice notice) {
        LentRegion region = notice.region();
        RegionGrant grant = region.grant();
        RingReceiver ring = grant == null ? null : grant.ring();
        if (ring != null) {
            counters.add(Count.NOTICES);
            ring.onNotice(notice);
            return;
        }
        UUID peer = region.holder().peer();
        WriteListener own = grant == null ? null : grant.listener();
        WriteListener told = own == null ? listener : own;
        if (told != null && peer != null) {
            counters.add(Count.NOTICES);
            told.onWrite(
                    new WriteNotice(peer, Optional.ofNullable(grant), region.memory(), notice.bytes(), notice.tag()));
        }
    }

    // Links.

    Links links() {
        return links;
    }

    /** Ends a connection without waiting for it. */
    void closeSoon(RdmaConnection connection) {
        threads.offControl(connection::close);
    }

    /** Ends all links, and all that is lent over them. Control thread. */
    void endLinks(RemoteMemoryException why) {
        links.stream().forEach(link -> link.end(why));
    }

    /** Ends all links, takes everything back, closes the device. */
    void close() {
        threads.runLast(this::endAll);
        if (notices != null) {
            // What is left is told, and memory that listeners had goes back on the control thread.
            notices.close();
        }
        threads.close();
        unused.close();
        node.close();
    }

    private void endAll() {
        leaseWatch.close();
        endLinks(new RemoteMemoryException(Reason.LOST, "Remote memory was closed on this side. Open it again."));
        lender.endAll();
    }
}
