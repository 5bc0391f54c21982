package io.rdmarpc.transport;

import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.DeviceAttributes;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import io.rdmarpc.verbs.error.RdmaException;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * RDMA READs of one engine, and views of memory of peers on this host. The transport has RC connections that share a
 * completion queue, and a part of its NIC's budget of READs in flight. A long READ is split into fragments. Waiting
 * READs post their fragments in rotation, so that a long READ does not delay short ones. Peers alternate in the same
 * manner: each has its {@linkplain FairPart fair part} of the READs in flight.
 *
 * <p>{@link #prepare} runs on a control thread, all other methods on the engine thread.
 */
public final class RcTransport implements AutoCloseable {

    private static final int POLL_BATCH = 16;
    private static final int MAX_FRAGMENT_BYTES = 1 << 20;

    private final NicContext nic;
    private final RcConfig config;
    private final Arena arena = Arena.ofShared();
    private final CompletionQueue cq;
    private final SendRequests request = SendRequests.allocate(arena, 1, 1);
    private final WorkCompletions completions = WorkCompletions.allocate(arena, POLL_BATCH);
    private final int fragmentBytes;
    private final ReadBudget.Share budget;
    private final ReadBudget shared;
    private final FairPart reads;
    private final ReadQueue unassigned;
    /** Queues with waiting READs. Contains each queue once. */
    private final ArrayDeque<ReadQueue> round = new ArrayDeque<>();

    /** Queues of {@code round} that have nothing to post in this round. */
    private final ArrayDeque<ReadQueue> blocked = new ArrayDeque<>();

    private int waiting;
    /** Whether a change since the last round allows another round to post. */
    private boolean mayPost;

    private boolean hasFailed;
    private final @Nullable ReadOperation[] inFlight;
    private final int[] freeTags;
    private int freeTagCount;
    private final HeldClosing closing = new HeldClosing(this::closeNow);

    private RcTransport(NicContext nic, RcConfig config, CompletionQueue cq) {
        this.nic = nic;
        this.config = config;
        this.cq = cq;
        this.shared = nic.readBudget(config.readBudget());
        int limit = shared.total();
        this.inFlight = new ReadOperation[limit];
        this.freeTags = new int[limit];
        this.budget = shared.join();
        this.reads = FairPart.whole(shared::fairPart);
        this.unassigned = new ReadQueue(reads);
        this.fragmentBytes = (int) Math.min(nic.port().maxMessageBytes(), MAX_FRAGMENT_BYTES);
        freeAllTags();
    }

    private void freeAllTags() {
        freeTagCount = 0;
        for (int tag = 0; tag < freeTags.length; tag++) {
            freeTags[freeTagCount++] = tag;
        }
    }

    /**
     * Opens the transport.
     *
     * @param nic the NIC, which must outlive the transport
     * @param config settings
     * @return the transport, to be closed by the caller after all its connections
     * @throws RdmaConfigurationException if a setting is above the device's limit
     */
    public static RcTransport open(NicContext nic, RcConfig config) {
        return open(nic, config, nic.completionChannel());
    }

    /**
     * Opens the transport on a completion channel for its engine's thread.
     *
     * @param nic the NIC, which must outlive the transport
     * @param config settings
     * @param channel reports its completions, must outlive the transport; null for none
     * @return the transport, to be closed by the caller after all its connections
     * @throws RdmaConfigurationException if a setting is above the device's limit
     */
    public static RcTransport open(NicContext nic, RcConfig config, @Nullable CompletionChannel channel) {
        DeviceAttributes limits = nic.context().attributes();
        check("rc.send-depth", config.sendDepth(), limits.maxQpWr(), "max_qp_wr of " + nic.deviceName());
        check("rc.max-reads", config.maxReads(), 128, "the range of the protocol field");
        check("rc.read-budget", config.readBudget(), limits.maxCqe(), "max_cqe of " + nic.deviceName());
        check("rc.ack-timeout-exponent", config.ackTimeoutExponent(), 31, "the range of the field");
        if (config.retryCount() < 0 || config.retryCount() > 7) {
            throw new RdmaConfigurationException(
                    "rc.retry-count", config.retryCount(), "the field holds 0 to 7", "Use 7, or less to fail sooner");
        }
        return new RcTransport(
                nic,
                config,
                nic.createCompletionQueue(nic.readBudget(config.readBudget()).total(), channel));
    }

    private static void check(String setting, int value, int limit, String why) {
        if (value < 1 || value > limit) {
            throw new RdmaConfigurationException(
                    setting, value, "it must be 1 to " + limit + " (" + why + ")", "Use at most " + limit);
        }
    }

    /**
     * Creates the queue pairs of a connection, which is the first phase. Blocks.
     *
     * @param from the GID to send from
     * @param lending the protection domain of exactly the memory that the peer may READ; must outlive the connection
     * @return the connection, not yet connected, to be closed by the caller
     */
    public RcConnection prepare(GidEntry from, ProtectionDomain lending) {
        DeviceAttributes limits = nic.context().attributes();
        int limit = Math.min(config.maxReads(), Math.min(limits.maxQpRdAtom(), limits.maxQpInitRdAtom()));
        QueuePair requester = createQueuePair(nic.protectionDomain(), config.sendDepth());
        QueuePair responder = null;
        try {
            responder = createQueuePair(lending, 1);
            return new RcConnection(nic, config, from, requester, responder, limit, unassigned);
        } catch (RuntimeException | Error e) {
            closeAfter(e, responder, requester);
            throw e;
        }
    }

    /**
     * Creates a queue for the READs of one control connection. Engine thread. The queue needs no close after its READs
     * have ended.
     *
     * @param part the connection's part of {@link #reads()}
     * @return a queue to {@linkplain RcConnection#assign assign} connections to
     */
    public ReadQueue newQueue(FairPart part) {
        return new ReadQueue(part);
    }

    /**
     * Returns this engine's part of its NIC's READs, which shrinks while other engines READ as well. The unit is a READ
     * work request in flight.
     *
     * @return the whole that the peers share
     */
    public FairPart reads() {
        return reads;
    }

    /**
     * Returns the number of engines on this NIC.
     *
     * @return 1 or more
     */
    public int engines() {
        return shared.engines();
    }

    /**
     * Returns the settings.
     *
     * @return the settings with which it was opened
     */
    public RcConfig config() {
        return config;
    }

    private QueuePair createQueuePair(ProtectionDomain domain, int sendDepth) {
        QueuePairCapabilities capabilities = new QueuePairCapabilities(sendDepth, 1, 1, 1, 0);
        return domain.createQueuePair(new QueuePairConfig(QueuePairType.RC, cq, cq, capabilities, false).unchecked());
    }

    private static void closeAfter(Throwable failure, @Nullable QueuePair... made) {
        for (QueuePair queuePair : made) {
            try {
                if (queuePair != null) {
                    queuePair.close();
                }
            } catch (RdmaException e) {
                failure.addSuppressed(e);
            }
        }
    }

    /**
     * Requests an event on the completion channel for the end of the next READ. The caller polls once more before it
     * waits for the event.
     *
     * @return 0 or an error number
     */
    public int arm() {
        return cq.requestNotification(false);
    }

    /**
     * READs remote memory. The READ is queued, and starts as soon as the budget allows.
     *
     * @param connection a connected connection
     * @param localAddress address of the destination, registered with LOCAL_WRITE; no other code may access it until
     *     the end
     * @param lkey key of the destination
     * @param remoteAddress address of the source
     * @param rkey key of the source at the peer
     * @param lengthBytes length in bytes, above 0
     * @param handler notified when the READ has ended
     */
    public void read(
            RcConnection connection,
            long localAddress,
            int lkey,
            long remoteAddress,
            int rkey,
            int lengthBytes,
            ReadHandler handler) {
        connection.reads++;
        enqueue(new ReadOperation(connection, localAddress, lkey, remoteAddress, rkey, lengthBytes, handler));
    }

    private void enqueue(ReadOperation operation) {
        ReadQueue queue = operation.queue;
        queue.waiting.addLast(operation);
        waiting++;
        if (!queue.isQueued) {
            queue.isQueued = true;
            round.addLast(queue);
        }
        mayPost = true;
    }

    /**
     * Requests a view of remote memory instead of a READ. Posted at once; the handler may run before this method
     * returns.
     *
     * @param connection a connected connection
     * @param remoteAddress address of the memory
     * @param rkey its key at the peer
     * @param lengthBytes length in bytes, above 0
     * @param handler notified when the view is ready, or has failed
     * @return false if no view is possible now; the caller then READs the memory
     */
    public boolean view(RcConnection connection, long remoteAddress, int rkey, int lengthBytes, ViewHandler handler) {
        if (!connection.mayView(lengthBytes) || !hasRoom(connection)) {
            return false;
        }
        int tag = freeTags[freeTagCount - 1];
        RemoteView view = connection.postView(tag, remoteAddress, rkey, lengthBytes);
        if (view == null) {
            budget.releaseUnused();
            return false;
        }
        if (!view.isPosted()) {
            budget.releaseUnused();
            handler.onViewEnd(CompletionStatus.SUCCESS, view);
            return true;
        }
        ReadOperation operation = new ReadOperation(connection, 0, 0, remoteAddress, rkey, lengthBytes, status -> {
            if (status == CompletionStatus.SUCCESS && view.memory() == null) {
                connection.skipViews();
            }
            handler.onViewEnd(status, view);
        });
        operation.postedBytes = lengthBytes;
        connection.reads++;
        onPosted(operation, tag);
        budget.releaseUnused();
        return true;
    }

    private boolean hasRoom(RcConnection connection) {
        return budget.hasRoom() && connection.queue.inFlight.hasRoom(1) && connection.hasRoom();
    }

    /**
     * Posts fragments of waiting READs as far as the budget and the send queues allow.
     *
     * @return number of fragments that were posted
     */
    public int postReads() {
        if (!mayPost) {
            return 0;
        }
        mayPost = false;
        endFailed();
        int posted = 0;
        try {
            while (!round.isEmpty() && budget.hasRoom()) {
                posted += postNext(round.removeFirst()) ? 1 : 0;
            }
        } finally {
            // A READ that waits only for the budget can continue when another engine has released READs. No
            // notification reports that, so the next duty cycle tries again.
            mayPost |= !round.isEmpty();
            round.addAll(blocked);
            blocked.clear();
        }
        budget.releaseUnused();
        return posted;
    }

    /** Posts a fragment of the queue's next READ, unless the peer already uses its part of the READs. */
    private boolean postNext(ReadQueue queue) {
        boolean posted = false;
        try {
            for (int tries = queue.waiting.size(); tries > 0 && !posted && queue.inFlight.hasRoom(1); tries--) {
                posted = postNextFragment(queue, queue.waiting.removeFirst());
            }
        } finally {
            queue.isQueued = !queue.waiting.isEmpty();
            if (queue.isQueued) {
                (posted ? round : blocked).addLast(queue);
            }
        }
        return posted;
    }

    private boolean postNextFragment(ReadQueue queue, ReadOperation operation) {
        boolean posted = operation.hasMoreToPost() && operation.connection.hasRoom() && tryPost(queue, operation);
        if (operation.hasMoreToPost()) {
            queue.waiting.addLast(operation);
        } else {
            waiting--;
            endIfDone(operation);
        }
        return posted;
    }

    private void endIfDone(ReadOperation operation) {
        if (operation.hasEnded()) {
            end(operation);
        }
    }

    /** If the NIC throws, the READ stays queued, so that it is posted later and its end is reported. */
    private boolean tryPost(ReadQueue queue, ReadOperation operation) {
        boolean tried = false;
        try {
            boolean posted = postFragment(operation);
            tried = true;
            return posted;
        } finally {
            if (!tried) {
                queue.waiting.addLast(operation);
                mayPost = true;
                budget.releaseUnused();
            }
        }
    }

    /** Ends the READs that failed while they waited, including those of a peer without room. */
    private void endFailed() {
        if (!hasFailed) {
            return;
        }
        hasFailed = false;
        List<ReadOperation> failed = new ArrayList<>();
        for (ReadQueue queue : round) {
            for (ReadOperation operation : queue.waiting) {
                if (!operation.hasMoreToPost()) {
                    failed.add(operation);
                }
            }
        }
        for (ReadOperation operation : failed) {
            dequeue(operation);
            endIfDone(operation);
        }
    }

    /** Removes a READ from its queue. The next round removes the queue if it is empty. */
    private void dequeue(ReadOperation operation) {
        if (operation.queue.waiting.remove(operation)) {
            waiting--;
        }
    }

    private boolean postFragment(ReadOperation operation) {
        int offset = operation.postedBytes;
        int length = Math.min(fragmentBytes, operation.lengthBytes - offset);
        int tag = freeTags[freeTagCount - 1];
        request.set(0, tag, SendOpcode.RDMA_READ, SendFlags.SIGNALED, 1);
        request.setSge(0, 0, operation.localAddress + offset, length, operation.lkey);
        request.setRemote(0, operation.remoteAddress + offset, operation.rkey);
        request.chain(0, 1);
        int errno = operation.connection.requester().postSend(request, 0);
        if (errno == Errno.ENOMEM || errno == Errno.EAGAIN) {
            mayPost = true;
            return false;
        }
        if (errno != 0) {
            operation.fail(CompletionStatus.LOC_QP_OP_ERR);
            return false;
        }
        operation.postedBytes += length;
        onPosted(operation, tag);
        return true;
    }

    private void onPosted(ReadOperation operation, int tag) {
        freeTagCount--;
        budget.onPosted();
        operation.queue.inFlight.take(1);
        inFlight[tag] = operation;
        operation.fragmentsInFlight++;
        operation.connection.sendsInFlight++;
    }

    /**
     * Processes completions and notifies the handlers of READs that have ended.
     *
     * @return number of fragments that completed
     */
    public int poll() {
        if (budget.used() == 0) {
            return 0;
        }
        int count = cq.poll(completions, POLL_BATCH);
        for (int i = 0; i < count; i++) {
            complete((int) completions.wrId(i), completions.status(i));
        }
        budget.releaseUnused();
        return Math.max(0, count);
    }

    private void complete(int tag, int status) {
        ReadOperation operation = inFlight[tag];
        if (operation == null) {
            // This READ was posted before endAll().
            return;
        }
        inFlight[tag] = null;
        freeTags[freeTagCount++] = tag;
        budget.onEnded();
        mayPost = true;
        operation.queue.inFlight.giveBack(1);
        operation.fragmentsInFlight--;
        operation.connection.sendsInFlight--;
        operation.connection.completed++;
        if (status != CompletionStatus.SUCCESS) {
            operation.fail(status);
        }
        if (operation.hasEnded()) {
            dequeue(operation);
            end(operation);
        }
    }

    private void end(ReadOperation operation) {
        operation.connection.reads--;
        operation.handler.onReadEnd(operation.status);
    }

    /**
     * Fails the READs of a connection that is closing. No further fragment is posted, and each READ ends when its
     * posted fragments have been flushed.
     *
     * @param connection the connection
     */
    public void cancelReads(RcConnection connection) {
        for (ReadOperation operation : connection.queue.waiting) {
            if (operation.connection == connection) {
                operation.fail(CompletionStatus.WR_FLUSH_ERR);
                hasFailed = true;
                mayPost = true;
            }
        }
        for (ReadOperation operation : inFlight) {
            if (operation != null && operation.fragmentsInFlight > 0 && operation.connection == connection) {
                operation.fail(CompletionStatus.WR_FLUSH_ERR);
            }
        }
    }

    /**
     * Finds connections whose READs make no progress: fragments are in flight, but none has completed for the time
     * limit. The time counts from the first call that finds no progress, so the caller calls this method several times
     * within the limit. Engine thread.
     *
     * @param nowNanos the current time
     * @param limitNanos how long a connection may make no progress; a fragment has at most 1 MiB
     */
    public void findStalled(long nowNanos, long limitNanos) {
        for (ReadOperation operation : inFlight) {
            if (operation != null) {
                watch(operation.connection, nowNanos, limitNanos);
            }
        }
    }

    private static void watch(RcConnection connection, long nowNanos, long limitNanos) {
        if (!connection.isWatched || connection.completed != connection.completedBefore) {
            connection.isWatched = true;
            connection.completedBefore = connection.completed;
            connection.unchangedSinceNanos = nowNanos;
        } else if (nowNanos - connection.unchangedSinceNanos >= limitNanos) {
            connection.stalled();
        }
    }

    /**
     * Returns whether the NIC may still refer to memory of a connection's READs.
     *
     * @param connection the connection
     * @return true while fragments are in flight or waiting
     */
    public boolean isBusy(RcConnection connection) {
        return connection.reads > 0;
    }

    /**
     * Ends all READs at once after all queue pairs have been closed, because their completions will not arrive any
     * more.
     */
    public void endAll() {
        for (int tag = 0; tag < inFlight.length; tag++) {
            ReadOperation operation = inFlight[tag];
            if (operation != null && operation.fragmentsInFlight > 0) {
                operation.queue.inFlight.giveBack(operation.fragmentsInFlight);
                operation.fragmentsInFlight = 0;
                operation.fail(CompletionStatus.WR_FLUSH_ERR);
                dequeue(operation);
                end(operation);
            }
        }
        for (ReadQueue queue = round.pollFirst(); queue != null; queue = round.pollFirst()) {
            endAll(queue);
        }
        Arrays.fill(inFlight, null);
        freeAllTags();
        budget.reset();
    }

    private void endAll(ReadQueue queue) {
        queue.isQueued = false;
        for (ReadOperation operation = queue.waiting.pollFirst();
                operation != null;
                operation = queue.waiting.pollFirst()) {
            waiting--;
            operation.fail(CompletionStatus.WR_FLUSH_ERR);
            end(operation);
        }
    }

    /**
     * Returns how many READs wait for the budget or for room in a send queue, including partly posted READs. Engine
     * thread.
     *
     * @return the current number
     */
    public int readsWaiting() {
        return waiting;
    }

    /**
     * Returns how many READs, or fragments of long ones, are outstanding at the NIC. Engine thread.
     *
     * @return the current number
     */
    public int readsInFlight() {
        return budget.used();
    }

    /**
     * Defers closing: {@link #close} takes effect after {@link #release}. A caller uses it if a thread that may still
     * use this object did not stop. Thread-safe.
     */
    public void hold() {
        closing.hold();
    }

    /** Ends a {@link #hold}. Closes this object if {@link #close} was called meanwhile. Thread-safe. */
    public void release() {
        closing.release();
    }

    @Override
    public void close() {
        closing.close();
    }

    private void closeNow() {
        budget.leave();
        cq.close();
        arena.close();
    }
}
