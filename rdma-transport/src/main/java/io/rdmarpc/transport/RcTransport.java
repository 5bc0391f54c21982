package io.rdmarpc.transport;

import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.CompletionStatus;
import io.rdmarpc.verbs.DeviceAttributes;
import io.rdmarpc.verbs.Errno;
import io.rdmarpc.verbs.GidEntry;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairCapabilities;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.QueuePairType;
import io.rdmarpc.verbs.RdmaConfigurationException;
import io.rdmarpc.verbs.RdmaException;
import io.rdmarpc.verbs.RemoteView;
import io.rdmarpc.verbs.SendFlags;
import io.rdmarpc.verbs.SendOpcode;
import io.rdmarpc.verbs.SendRequests;
import io.rdmarpc.verbs.WorkCompletions;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * RDMA READs of one engine, and views where a peer is on this host: RC connections that share a completion queue, and a part
 * of its NIC's budget of READs in flight. A long READ is split, and all READs that wait take turns, fragment by fragment, so
 * a long one does not hold up short ones.
 *
 * <p>{@link #prepare} runs on a control thread; the rest on the engine thread.
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
    private final ArrayDeque<ReadOperation> waiting = new ArrayDeque<>();
    private final ReadBudget.Share budget;
    private final @Nullable ReadOperation[] inFlight;
    private final int[] freeTags;
    private int freeTagCount;
    private final HeldClosing closing = new HeldClosing(this::closeNow);

    private RcTransport(NicContext nic, RcConfig config, CompletionQueue cq) {
        this.nic = nic;
        this.config = config;
        this.cq = cq;
        ReadBudget shared = nic.readBudget(config.readBudget());
        int most = shared.total();
        this.inFlight = new ReadOperation[most];
        this.freeTags = new int[most];
        this.budget = shared.join();
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
     * @throws RdmaConfigurationException when a setting is over the device's limit
     */
    public static RcTransport open(NicContext nic, RcConfig config) {
        return open(nic, config, nic.completionChannel());
    }

    /**
     * Opens the transport on a channel of its thread's own.
     *
     * @param nic the NIC, which must outlive the transport
     * @param config settings
     * @param channel where it tells of completions, must outlive the transport; null for none
     * @return the transport, to be closed by the caller after all its connections
     * @throws RdmaConfigurationException when a setting is over the device's limit
     */
    public static RcTransport open(NicContext nic, RcConfig config, @Nullable CompletionChannel channel) {
        DeviceAttributes limits = nic.context().attributes();
        check("rc.send-depth", config.sendDepth(), limits.maxQpWr(), "max_qp_wr of " + nic.deviceName());
        check("rc.max-reads", config.maxReads(), 128, "what the protocol field holds");
        check("rc.read-budget", config.readBudget(), limits.maxCqe(), "max_cqe of " + nic.deviceName());
        check("rc.ack-timeout", config.ackTimeout(), 31, "the field's width");
        if (config.retryCount() < 0 || config.retryCount() > 7) {
            throw new RdmaConfigurationException(
                    "rc.retry-count", config.retryCount(), "the field holds 0 to 7", "Use 7 unless you must fail fast");
        }
        return new RcTransport(
                nic,
                config,
                nic.createCompletionQueue(nic.readBudget(config.readBudget()).total(), channel));
    }

    private static void check(String setting, int value, int most, String why) {
        if (value < 1 || value > most) {
            throw new RdmaConfigurationException(
                    setting, value, "it must be 1 to " + most + " (" + why + ")", "Use at most " + most);
        }
    }

    /**
     * Makes the queue pairs of a connection, its first phase. Blocks.
     *
     * @param from the GID to send from
     * @param lending the protection domain of the memory that the peer may READ, and of nothing else; must outlive the connection
     * @return the connection, not yet connected, to be closed by the caller
     */
    public RcConnection prepare(GidEntry from, ProtectionDomain lending) {
        DeviceAttributes limits = nic.context().attributes();
        int reads = Math.min(config.maxReads(), Math.min(limits.maxQpRdAtom(), limits.maxQpInitRdAtom()));
        QueuePair requester = createQueuePair(nic.protectionDomain(), config.sendDepth());
        QueuePair responder = null;
        try {
            responder = createQueuePair(lending, 1);
            return new RcConnection(nic, config, from, requester, responder, reads);
        } catch (RuntimeException | Error e) {
            closeAfter(e, responder, requester);
            throw e;
        }
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
     * Asks for an event on the NIC's channel when the next READ has ended. Poll once more before waiting for it.
     *
     * @return 0 or an error number
     */
    public int arm() {
        return cq.requestNotification(false);
    }

    /**
     * Reads remote memory. Queued: it starts when the budget allows.
     *
     * @param connection a connected connection
     * @param localAddress where to, registered with LOCAL_WRITE; untouched by others until the end
     * @param lkey its key
     * @param remoteAddress where from
     * @param rkey its key at the peer
     * @param lengthBytes how much, over 0
     * @param handler told when the READ has ended
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
        waiting.addLast(new ReadOperation(connection, localAddress, lkey, remoteAddress, rkey, lengthBytes, handler));
    }

    /**
     * Asks to see remote memory in place instead of reading it. Posted at once; the handler may be told before this returns.
     *
     * @param connection a connected connection
     * @param remoteAddress where
     * @param rkey its key at the peer
     * @param lengthBytes how much, over 0
     * @param handler told when it is there, or is not
     * @return false when that cannot be, or not now: read it
     */
    public boolean view(RcConnection connection, long remoteAddress, int rkey, int lengthBytes, ViewHandler handler) {
        if (!connection.mayView(lengthBytes) || !budget.hasRoom() || !connection.hasRoom()) {
            return false;
        }
        int tag = freeTags[freeTagCount - 1];
        RemoteView there = connection.requester().postView(tag, remoteAddress, rkey, lengthBytes);
        if (there == null) {
            budget.settle();
            return false;
        }
        RemoteView view = connection.count(there, lengthBytes);
        if (!view.isPosted()) {
            budget.settle();
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
        budget.settle();
        return true;
    }

    /**
     * Posts fragments of waiting READs as far as budget and send queues allow.
     *
     * @return how many were posted
     */
    public int postReads() {
        if (waiting.isEmpty()) {
            return 0;
        }
        int posted = 0;
        for (int turns = waiting.size(); turns > 0 && budget.hasRoom(); turns--) {
            ReadOperation operation = waiting.removeFirst();
            if (operation.hasMoreToPost() && operation.connection.hasRoom() && tryPost(operation)) {
                posted++;
                turns += operation.hasMoreToPost() ? 1 : 0;
            }
            if (operation.hasMoreToPost()) {
                waiting.addLast(operation);
            } else if (operation.hasEnded()) {
                end(operation);
            }
        }
        budget.settle();
        return posted;
    }

    /** What the NIC fails on is still to be posted, and its end is still to be told. */
    private boolean tryPost(ReadOperation operation) {
        boolean tried = false;
        try {
            boolean posted = postFragment(operation);
            tried = true;
            return posted;
        } finally {
            if (!tried) {
                waiting.addLast(operation);
                budget.settle();
            }
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
        inFlight[tag] = operation;
        operation.fragmentsInFlight++;
        operation.connection.sendsInFlight++;
    }

    /**
     * Takes completions and tells the handlers of READs that have ended.
     *
     * @return how many fragments completed
     */
    public int poll() {
        if (budget.used() == 0) {
            return 0;
        }
        int count = cq.poll(completions, POLL_BATCH);
        for (int i = 0; i < count; i++) {
            complete((int) completions.wrId(i), completions.status(i));
        }
        budget.settle();
        return Math.max(0, count);
    }

    private void complete(int tag, int status) {
        ReadOperation operation = inFlight[tag];
        if (operation == null) {
            // Of a time before endAll().
            return;
        }
        inFlight[tag] = null;
        freeTags[freeTagCount++] = tag;
        budget.onEnded();
        operation.fragmentsInFlight--;
        operation.connection.sendsInFlight--;
        if (status != CompletionStatus.SUCCESS) {
            operation.fail(status);
        }
        if (operation.hasEnded()) {
            waiting.remove(operation);
            end(operation);
        }
    }

    private void end(ReadOperation operation) {
        operation.connection.reads--;
        operation.handler.onReadEnd(operation.status);
    }

    /**
     * Fails the READs of a connection that is going down: nothing more is posted, and each ends when its posted
     * fragments have been flushed.
     *
     * @param connection which
     */
    public void cancelReads(RcConnection connection) {
        for (ReadOperation operation : waiting) {
            if (operation.connection == connection) {
                operation.fail(CompletionStatus.WR_FLUSH_ERR);
            }
        }
        for (ReadOperation operation : inFlight) {
            if (operation != null && operation.fragmentsInFlight > 0 && operation.connection == connection) {
                operation.fail(CompletionStatus.WR_FLUSH_ERR);
            }
        }
    }

    /**
     * Tells whether the NIC may still refer to memory of a connection's READs.
     *
     * @param connection which
     * @return true while fragments are in flight or waiting
     */
    public boolean isBusy(RcConnection connection) {
        return connection.reads > 0;
    }

    /**
     * Ends everything at once after all queue pairs have been closed: their completions will not come any more.
     */
    public void endAll() {
        for (int tag = 0; tag < inFlight.length; tag++) {
            ReadOperation operation = inFlight[tag];
            if (operation != null && operation.fragmentsInFlight > 0) {
                operation.fragmentsInFlight = 0;
                operation.fail(CompletionStatus.WR_FLUSH_ERR);
                waiting.remove(operation);
                end(operation);
            }
        }
        while (!waiting.isEmpty()) {
            ReadOperation operation = waiting.removeFirst();
            operation.fail(CompletionStatus.WR_FLUSH_ERR);
            end(operation);
        }
        Arrays.fill(inFlight, null);
        freeAllTags();
        budget.reset();
    }

    /**
     * Returns how many READs wait for the budget or for room in a send queue, parts of them included. Engine thread.
     *
     * @return the number now
     */
    public int readsWaiting() {
        return waiting.size();
    }

    /**
     * Returns how many READs, or parts of long ones, are at the NIC. Engine thread.
     *
     * @return the number now
     */
    public int readsInFlight() {
        return budget.used();
    }

    /**
     * Puts off closing: {@link #close} takes effect after {@link #release}. For whoever could not stop a thread that may still
     * use this. Any thread.
     */
    public void hold() {
        closing.hold();
    }

    /** Ends a {@link #hold}; closes it if that was wanted meanwhile. Any thread. */
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
