package io.rdmarpc.async;

import io.rdmarpc.async.poll.CompletionBudget;
import io.rdmarpc.async.poll.NodeThread;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.attributes.AtomicCapability;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.connect.ConnectionSettings;
import io.rdmarpc.verbs.connect.QueuePairConnector;
import io.rdmarpc.verbs.error.RdmaException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The resources that the connections of a node share: device, completion queue, threads. */
final class NodeCore implements LocalRegion.Owner {

    private static final int MAX_WORKERS = 32;
    private static final int WORKER_IDLE_SECONDS = 5;
    private static final long MANUAL_PAUSE_NANOS = 20_000;

    private final RdmaNodeConfig config;
    private final RdmaContext context;
    private final LocalPort port;
    private final ProtectionDomain domain;
    private final ConnectionTable table = new ConnectionTable();
    private final Polling polling;
    private final CompletionBudget budget;
    private final ScratchWords.Pool scratch;
    private final ThreadPoolExecutor workers;
    private final Set<ConnectionCore> links = ConcurrentHashMap.newKeySet();

    /**
     * Takes ownership of a device.
     *
     * @param context the device; {@link #closeDevice} closes it
     * @param config the settings of the node
     */
    NodeCore(RdmaContext context, RdmaNodeConfig config) {
        this.config = config;
        this.context = context;
        this.port = new LocalPort(context, config);
        this.domain = context.allocateProtectionDomain();
        this.polling = new Polling(context, config, table, this::failAll);
        this.budget = new CompletionBudget(
                polling.queue(), polling.reaper().lock(), context.attributes().maxCqe());
        this.scratch =
                new ScratchWords.Pool(domain, Arena.ofAuto(), config.queues().sendDepth());
        this.workers = new ThreadPoolExecutor(
                MAX_WORKERS,
                MAX_WORKERS,
                WORKER_IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> new NodeThread(this, "worker-" + context.deviceName(), task));
        workers.allowCoreThreadTimeOut(true);
    }

    void start() {
        polling.start(this);
    }

    /** A connection whose queue pair has its local endpoint, but not yet the peer's. */
    record Prepared(ConnectionCore link, QueuePairConnector connector) {}

    /** Creates the local half of a connection. Blocks. */
    Prepared prepare(@Nullable InetAddress ownAddress) {
        budget.reserve(completionsPerLink());
        OptionalInt key = OptionalInt.empty();
        QueuePair qp = null;
        try {
            key = OptionalInt.of(table.reserve());
            qp = createQueuePair();
            return prepare(qp, key.getAsInt(), port.gidFor(ownAddress));
        } catch (RuntimeException e) {
            releaseReserved(qp, key);
            throw e;
        }
    }

    private Prepared prepare(QueuePair qp, int key, GidEntry from) {
        ConnectionSettings settings =
                config.connection().withPathMtu(config.connection().pathMtu().min(port.mtu(from)));
        QueuePairConnector connector = QueuePairConnector.prepare(qp, context, port.number(), from, settings);
        ConnectionCore link = new ConnectionCore(this, key, qp, scratch.take());
        table.put(key, link);
        links.add(link);
        return new Prepared(link, connector);
    }

    /**
     * {@link OperationCheck} checks work requests instead of the queue pair; it knows the kind and the region of each
     * operation.
     */
    private QueuePair createQueuePair() {
        RdmaNodeConfig.Queues depths = config.queues();
        QueuePairCapabilities sizes = new QueuePairCapabilities(depths.sendDepth(), depths.receiveDepth(), 1, 1, 0);
        QueuePairConfig queues = new QueuePairConfig(QueuePairType.RC, polling.queue(), polling.queue(), sizes, false);
        return domain.createQueuePair(queues.unchecked());
    }

    private void releaseReserved(@Nullable QueuePair qp, OptionalInt key) {
        try {
            if (qp != null) {
                qp.close();
            }
        } finally {
            key.ifPresent(table::release);
            budget.release(completionsPerLink());
        }
    }

    private int completionsPerLink() {
        return config.queues().sendDepth() + config.queues().receiveDepth();
    }

    /** Releases the resources of a connection whose queue pair was destroyed. */
    void releaseResources(ConnectionCore link) {
        table.release(link.key());
        scratch.put(link.scratch());
        budget.release(completionsPerLink());
    }

    /** Removes a connection that has ended, so that {@link #awaitConnections} no longer waits for it. */
    void forget(ConnectionCore link) {
        links.remove(link);
    }

    void failAll(RdmaException why) {
        links.forEach(link -> link.fail(why));
    }

    void awaitConnections() {
        links.forEach(link -> await(link.ended()));
    }

    /** Polls a batch of completions; returns their number. */
    int reap() {
        return polling.reaper().reap();
    }

    void wakePoller() {
        polling.wake();
    }

    /**
     * Runs a task on a worker thread, where it may block. After the workers were stopped, runs it on the calling
     * thread.
     */
    @Override
    public void execute(Runnable task) {
        try {
            workers.execute(task);
        } catch (RejectedExecutionException e) {
            task.run();
        }
    }

    /** Waits for a future that a thread of this node completes. Does not wait if called on such a thread. */
    void await(CompletableFuture<Void> end) {
        if (NodeThread.isCurrentOf(this)) {
            return;
        }
        if (polling.mode() == PollingMode.MANUAL) {
            while (!end.isDone()) {
                reap();
                LockSupport.parkNanos(MANUAL_PAUSE_NANOS);
            }
        }
        end.join();
    }

    void stopPolling() {
        polling.stop();
    }

    void stopWorkers() {
        workers.shutdown();
    }

    void closeScratch() {
        scratch.close();
    }

    void closePolling() {
        polling.close();
    }

    void closeDomain() {
        domain.close();
    }

    void closeDevice() {
        context.close();
    }

    RdmaNodeConfig config() {
        return config;
    }

    ProtectionDomain domain() {
        return domain;
    }

    PollingMode mode() {
        return polling.mode();
    }

    long maxMessageBytes() {
        return port.maxMessageBytes();
    }

    boolean hasAtomics() {
        return context.attributes().atomicCapability() != AtomicCapability.NONE;
    }

    String deviceName() {
        return context.deviceName();
    }

    @Override
    public String toString() {
        return deviceName() + " with " + links.size() + " connections and " + budget.reserved()
                + " completions reserved";
    }
}
