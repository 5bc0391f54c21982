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
 * The life of a connection: it takes operations while it is connected, and ends every one of them when it ends.
 *
 * <pre>
 *   CONNECTED --(operation failed, peer gone, close)--> ENDING --> ENDED
 *                 what waits fails at once; a worker:   ERR, wait for the flushed ones, destroy the queue pair,
 *                                                       fail whatever a dead device has not flushed
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

    /** Takes an operation that has its slice. Afterwards it is under way or has failed. */
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

    /** Ends the operation of a completion and posts what waited for its slot. The polling thread. */
    void complete(WorkCompletions completions, int index, CompletedOperations done) {
        int tag = (int) completions.wrId(index);
        OperationQueue lane = (tag & RECEIVE_BIT) != 0 ? receives : sends;
        int slot = tag & SLOT_MASK;
        lock.lock();
        try {
            Operation<?> operation = lane.complete(slot);
            if (operation == null) {
                return;
            }
            done.add(operation);
            // Only wr_id, status, qp_num and vendor_err mean something when it failed.
            if (completions.status(index) == CompletionStatus.SUCCESS) {
                operation.succeed(completions, index, scratch.word(lane == sends ? slot : 0));
                lane.postWaiting(done);
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

    /** Takes no more operations and has the rest flushed. Under the lock; does nothing the second time. */
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

    /** Ends it on another thread: the caller holds locks under which no callback may run. */
    void failAsync(RdmaException why) {
        node.execute(() -> fail(why));
    }

    /** Ends it for a reason that did not come from an operation. Any thread. */
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

    /** Flushes, waits for the completions, and destroys the queue pair. Blocks: a worker of the node. */
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
            LOG.log(System.Logger.Level.WARNING, this + " did not end cleanly", e);
        } finally {
            forget();
        }
    }

    private boolean flush() {
        try {
            qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
            return true;
        } catch (RdmaException e) {
            // A device that is gone flushes nothing; the end of the queue pair will end the rest.
            LOG.log(System.Logger.Level.WARNING, this + " could not be flushed", e);
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

    /** The queue pair is gone, so the device touches nothing any more: whatever is left has ended too. */
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

    /** Watches the connection of the exchange: when it ends, this ends. */
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

    /** Counts operations that have not ended. */
    int pending() {
        lock.lock();
        try {
            return sends.inFlight() + sends.waitingCount() + receives.inFlight() + receives.waitingCount();
        } finally {
            lock.unlock();
        }
    }

    /** Completed when it has ended, and the device has let go of all memory. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    @Override
    public String toString() {
        return "queue pair " + qp.number() + " of " + node.deviceName();
    }
}
