package io.rdmarpc.async;

import io.rdmarpc.async.error.RdmaOperation;
import io.rdmarpc.async.error.RdmaOperationException;
import io.rdmarpc.async.exchange.PeerLivenessMonitor;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.error.RdmaException;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The life cycle of a connection. It accepts operations while it is connected, and fails all pending operations when it
 * ends.
 *
 * <pre>
 *   CONNECTED --(operation failed, peer disconnected, close)--> ENDING --> ENDED
 *                 Waiting operations fail at once. A worker moves the queue pair to ERR, waits for the flushed
 *                 operations, and destroys the queue pair. Then it fails operations that a failed device has not
 *                 flushed.
 * </pre>
 */
final class ConnectionCore {

    private static final System.Logger LOG = System.getLogger(ConnectionCore.class.getName());
    private static final int RECEIVE_BIT = 1 << 31;
    private static final int SLOT_MASK = RECEIVE_BIT - 1;

    private enum State {
        CONNECTED,
        ENDING,
        ENDED
    }

    private final NodeCore node;
    private final int key;
    private final QueuePair qp;
    private final ScratchWords scratch;
    private final ReentrantLock lock = new ReentrantLock();
    private final SendOperationQueue sends;
    private final ReceiveOperationQueue receives;
    private final CountDownLatch drained = new CountDownLatch(1);
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private State state = State.CONNECTED;
    private @Nullable RdmaException reason;
    private volatile @Nullable PeerLivenessMonitor liveness;

    ConnectionCore(NodeCore node, int key, QueuePair qp, ScratchWords scratch) {
        this.node = node;
        this.key = key;
        this.qp = qp;
        this.scratch = scratch;
        RdmaNodeConfig.Queues queues = node.config().queues();
        long sendIds = (long) key << Integer.SIZE;
        long receiveIds = sendIds | Integer.toUnsignedLong(RECEIVE_BIT);
        this.sends = new SendOperationQueue(lock, qp, sendIds, scratch, queues.sendDepth(), queues.backlog());
        this.receives = new ReceiveOperationQueue(lock, qp, receiveIds, queues.receiveDepth(), queues.backlog());
    }

    int key() {
        return key;
    }

    ScratchWords scratch() {
        return scratch;
    }

    /** Submits an operation that has claimed its slice. On return it is posted, waits for a slot, or has failed. */
    void submit(Operation<?> operation) {
        lock.lock();
        try {
            if (state != State.CONNECTED) {
                operation.fail(OperationFailures.notPosted(operation, toString(), reason));
            } else if (operation.kind() == RdmaOperation.RECEIVE) {
                receives.submit(operation);
            } else {
                sends.submit(operation);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends the operation of a completion and posts waiting operations. Called by the thread that polls. */
    void complete(WorkCompletions completions, int index, CompletedOperations done) {
        int tag = (int) completions.wrId(index);
        OperationQueue queue = (tag & RECEIVE_BIT) != 0 ? receives : sends;
        int slot = tag & SLOT_MASK;
        lock.lock();
        try {
            Operation<?> operation = queue.complete(slot);
            if (operation == null) {
                return;
            }
            done.add(operation);
            // If the status is an error, only wr_id, status, qp_num and vendor_err are valid (ibv_poll_cq).
            if (completions.status(index) == CompletionStatus.SUCCESS) {
                operation.succeed(completions, index, scratch.word(queue == sends ? slot : 0));
                queue.postWaiting(done);
            } else {
                failed(operation, completions.status(index), completions.vendorError(index), done);
            }
            checkDrained();
        } finally {
            lock.unlock();
        }
    }

    private void failed(Operation<?> operation, int status, int vendorError, CompletedOperations done) {
        if (status == CompletionStatus.WR_FLUSH_ERR) {
            operation.fail(OperationFailures.flushed(operation, vendorError, toString(), reason));
            end(reason, done);
        } else {
            RdmaOperationException failure = OperationFailures.ofStatus(operation, status, vendorError, toString());
            operation.fail(failure);
            end(failure, done);
        }
    }

    /** Rejects further operations and fails the waiting ones. Idempotent. The caller holds the lock. */
    private void end(@Nullable RdmaException why, CompletedOperations done) {
        if (state != State.CONNECTED) {
            return;
        }
        state = State.ENDING;
        reason = why;
        sends.failWaiting(waiting -> OperationFailures.notPosted(waiting, toString(), why), done);
        receives.failWaiting(waiting -> OperationFailures.notPosted(waiting, toString(), why), done);
        checkDrained();
        node.execute(this::shutDown);
    }

    private void checkDrained() {
        if (state != State.CONNECTED && sends.inFlight() + receives.inFlight() == 0) {
            drained.countDown();
        }
    }

    /**
     * Ends the connection on a worker thread. For callers that hold a lock, because callbacks must not run under a
     * lock.
     */
    void failAsync(RdmaException why) {
        node.execute(() -> fail(why));
    }

    /** Ends the connection for a reason other than a failed operation. Any thread may call this method. */
    void fail(RdmaException why) {
        CompletedOperations done = new CompletedOperations();
        lock.lock();
        try {
            end(why, done);
        } finally {
            lock.unlock();
        }
        done.deliver(node.config().callbacks());
    }

    /** Flushes, waits for the completions, and destroys the queue pair. Blocks; runs on a worker of the node. */
    private void shutDown() {
        try {
            PeerLivenessMonitor peer = liveness;
            if (peer != null) {
                peer.close();
            }
            if (flush() && !awaitDrained()) {
                node.reap();
            }
            qp.close();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "Closing " + this + " failed", e);
        } finally {
            forget();
        }
    }

    private boolean flush() {
        try {
            qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
            return true;
        } catch (RdmaException e) {
            // A failed device flushes no work requests. They fail after the queue pair is destroyed.
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Moving " + this + " to the state ERR failed; its work requests are not flushed",
                    e);
            return false;
        }
    }

    private boolean awaitDrained() {
        try {
            return drained.await(node.config().timeouts().close().toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Fails all remaining operations. The queue pair is destroyed, so the device no longer accesses their memory. */
    private void forget() {
        CompletedOperations done = new CompletedOperations();
        lock.lock();
        try {
            state = State.ENDED;
            sends.failAbandoned(left -> OperationFailures.flushed(left, 0, toString(), reason), done);
            receives.failAbandoned(left -> OperationFailures.flushed(left, 0, toString(), reason), done);
        } finally {
            lock.unlock();
        }
        node.releaseResources(this);
        done.deliver(node.config().callbacks());
        ended.complete(null);
        node.forget(this);
    }

    /** Ends this connection when the peer's TCP connection of the exchange ends. */
    void watch(PeerLivenessMonitor peer) {
        liveness = peer;
        peer.watch(this::fail);
        if (!isOpen()) {
            peer.close();
        }
    }

    boolean isOpen() {
        lock.lock();
        try {
            return state == State.CONNECTED;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of operations that have not ended. */
    int pending() {
        lock.lock();
        try {
            return sends.inFlight() + sends.waitingCount() + receives.inFlight() + receives.waitingCount();
        } finally {
            lock.unlock();
        }
    }

    /** Returns a future that completes when the connection has ended and the device no longer accesses its memory. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    @Override
    public String toString() {
        return "queue pair " + qp.number() + " of " + node.deviceName();
    }
}
