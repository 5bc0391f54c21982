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
import io.rdmarpc.verbs.Errno;
import io.rdmarpc.verbs.GidEntry;
import io.rdmarpc.verbs.PortGids;
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
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** What the links of one {@link RemoteMemory} share: the device, the control thread, what is lent. */
final class MemoryCore {

    private static final System.Logger LOG = System.getLogger(MemoryCore.class.getName());

    /** Smaller regions are sent to peers on this host, too: memory that they can map costs a file each. */
    private static final long LEAST_MAPPED_BYTES = 256 << 10;

    /** No device is slower than this. */
    private static final long LEAST_BYTES_PER_MILLI = 10_000;

    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

    private final UUID id = UUID.randomUUID();
    private final RemoteMemoryConfig config;
    private final RdmaContext context;
    private final RdmaNode node;
    private final PortGids gids;
    private final CompletionQueue unused;
    private final NanoClock clock;
    private final Counters counters = new Counters();
    private final Lender lender;
    private final Staging staging;
    private final @Nullable NoticeThread notices;
    private final Links links;
    private final ScheduledThreadPoolExecutor control;
    private final ExecutorService blocking = Executors.newVirtualThreadPerTaskExecutor();

    private volatile @Nullable WriteListener listener;

    // Control thread.
    private @Nullable ScheduledFuture<?> nextExpiry;
    private long nextExpiryNanos;
    private boolean closed;

    private MemoryCore(RemoteMemoryConfig config, RdmaContext context, RdmaNode node, NanoClock clock) {
        this.config = config;
        this.context = context;
        this.node = node;
        this.clock = clock;
        this.gids = PortGids.of(context, config.device().device().port());
        this.unused = context.createCompletionQueue(1);
        this.lender = new Lender(clock, config.limits(), this::allocate, counters);
        this.links = new Links(config.limits().maxLinksPerPeer());
        this.staging = new Staging(node);
        this.notices = createNotices();
        this.control = new ScheduledThreadPoolExecutor(
                1,
                Thread.ofPlatform()
                        .name("rdma-memory-" + context.deviceName())
                        .daemon()
                        .factory());
        control.setRemoveOnCancelPolicy(true);
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
        } catch (RuntimeException e) {
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

    /** Queue pairs that send operations let the peer do nothing. */
    private static RdmaNodeConfig initiating(RdmaNodeConfig config) {
        return config.withConnection(config.connection()
                .withAccess()
                .withReads(config.connection().reads().asInitiator(), 0));
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

    UUID id() {
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

    Counters counters() {
        return counters;
    }

    Lender lender() {
        return lender;
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
        if (notices == null || queue == null || !notices.afterPending(queue, () -> onControl(then))) {
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

    // Threads.

    /** Runs something that changes what is lent or blocks in a verb; false, and nothing is run, after the end. */
    boolean onControl(Runnable task) {
        try {
            control.execute(() -> runSafely(task));
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** {@link #onControl} for what somebody waits for: it fails then. */
    Executor controlOrFail() {
        return task -> {
            if (!onControl(task)) {
                throw closed();
            }
        };
    }

    static RemoteMemoryException closed() {
        return new RemoteMemoryException(Reason.CLOSED, "Remote memory was closed on this side. Open it again.");
    }

    private static void runSafely(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.ERROR, "a task of remote memory failed", e);
        }
    }

    /** Runs what may be a user's, or takes long: never on the control thread, as long as this is open. */
    void offControl(Runnable task) {
        try {
            blocking.execute(() -> runSafely(task));
        } catch (RejectedExecutionException e) {
            runSafely(task);
        }
    }

    /** Ends as the inner one does, on a thread of which a user may do what he likes, waiting included. */
    <T> CompletableFuture<T> outward(CompletableFuture<T> inner) {
        if (inner.isDone()) {
            return inner.copy();
        }
        CompletableFuture<T> outer = new CompletableFuture<>();
        var _ = inner.whenComplete((value, failure) -> offControl(() -> {
            if (failure == null) {
                outer.complete(value);
            } else {
                outer.completeExceptionally(Failures.unwrapped(failure));
            }
        }));
        return outer;
    }

    ExecutorService blocking() {
        return blocking;
    }

    /** Ends a connection without waiting for it. */
    void closeSoon(RdmaConnection connection) {
        offControl(connection::close);
    }

    /** Sees to it that leases end in time. Control thread, after each change. */
    void watchLeases() {
        long wait = lender.nanosToNextExpiry();
        if (closed || wait == LeaseTable.NEVER) {
            return;
        }
        long at = clock.nanoTime() + wait;
        ScheduledFuture<?> planned = nextExpiry;
        if (planned != null && nextExpiryNanos - at <= 0) {
            return;
        }
        if (planned != null) {
            planned.cancel(false);
        }
        nextExpiryNanos = at;
        nextExpiry = control.schedule(() -> runSafely(this::expire), wait, TimeUnit.NANOSECONDS);
    }

    private void expire() {
        nextExpiry = null;
        try {
            lender.expire();
        } finally {
            watchLeases();
        }
    }

    <T> T await(CompletableFuture<T> future, String what) {
        return await(future, 0, what);
    }

    /**
     * Waits for an answer, or an operation of so many bytes. Who gives up says so: what comes later goes back. What has come
     * in the moment of giving up is taken.
     */
    <T> T await(CompletableFuture<T> future, long bytes, String what) {
        // The peer's time-out passes first and says more.
        long patience = 2 * config.answerTimeout().toMillis() + bytes / LEAST_BYTES_PER_MILLI;
        try {
            return future.get(patience, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw Failures.unwrapped(e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            return giveUp(future, what + " has not ended within " + patience + " ms. It may end later.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return giveUp(future, "The thread was interrupted waiting for " + what + ". It may end later.", e);
        }
    }

    private static <T> T giveUp(CompletableFuture<T> future, String words, Exception reason) {
        if (future.cancel(false)) {
            throw new RemoteMemoryException(Reason.TIMED_OUT, words, reason);
        }
        try {
            return future.join();
        } catch (CompletionException e) {
            throw Failures.unwrapped(e.getCause() == null ? e : e.getCause());
        }
    }

    /** Ends all links, takes everything back, closes the device. */
    void close() {
        RemoteMemoryException gone =
                new RemoteMemoryException(Reason.LOST, "Remote memory was closed on this side. Open it again.");
        CountDownLatch ended = new CountDownLatch(1);
        onControl(() -> {
            try {
                endAll(gone);
            } finally {
                ended.countDown();
            }
        });
        waitFor(ended::await);
        if (notices != null) {
            // What is left is told, and memory that listeners had goes back on the control thread.
            notices.close();
        }
        stop(control);
        stop(blocking);
        unused.close();
        node.close();
    }

    /** Ends all links, and all that is lent over them. */
    void endLinks(RemoteMemoryException why) {
        links.stream().forEach(link -> link.end(why));
    }

    private void endAll(RemoteMemoryException why) {
        closed = true;
        endLinks(why);
        lender.endAll();
        if (nextExpiry != null) {
            nextExpiry.cancel(false);
        }
    }

    private static void stop(ExecutorService executor) {
        executor.shutdown();
        waitFor(executor::awaitTermination);
    }

    /** Something that takes a while. */
    private interface Ending {
        boolean isOver(long within, TimeUnit unit) throws InterruptedException;
    }

    private static void waitFor(Ending ending) {
        boolean interrupted = false;
        long deadline = System.nanoTime() + CLOSE_LIMIT.toNanos();
        while (true) {
            try {
                if (!ending.isOver(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    LOG.log(System.Logger.Level.WARNING, "remote memory still works after {0}", CLOSE_LIMIT);
                }
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
