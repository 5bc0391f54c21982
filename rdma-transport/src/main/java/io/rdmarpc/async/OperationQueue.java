package io.rdmarpc.async;

import io.rdmarpc.async.error.RdmaOperationBackpressureException;
import io.rdmarpc.async.error.RdmaOperationException;
import io.rdmarpc.async.error.RdmaOperationException.Facts;
import io.rdmarpc.async.error.RdmaOperationNotSupportedException;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaException;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One queue of a queue pair. It holds posted operations, each in a slot that its completion identifies, and operations
 * that wait for a slot, in order.
 *
 * <pre>
 *   submit -> [ waiting, at most backlog ] -> slots[0 .. depth) -> completion
 *                  |                             |
 *                  full: backpressure            free again, next one is posted
 * </pre>
 *
 * The connection's lock guards all state.
 */
abstract class OperationQueue {

    private final ReentrantLock lock;
    private final int backlog;
    private final @Nullable Operation<?>[] slots;
    private final int[] freeSlots;
    private int freeCount;
    private final ArrayDeque<Operation<?>> waiting = new ArrayDeque<>();

    OperationQueue(ReentrantLock lock, int depth, int backlog) {
        this.lock = lock;
        this.backlog = backlog;
        this.slots = new Operation<?>[depth];
        this.freeSlots = new int[depth];
        for (int slot = depth - 1; slot >= 0; slot--) {
            freeSlots[freeCount++] = slot;
        }
    }

    /** Posts the work request to the device; returns an error number, 0 for success. */
    abstract int post(Operation<?> operation, int slot);

    /** Submits an operation. On return it is posted, waits for a slot, or has failed. */
    final void submit(Operation<?> operation) {
        if (waiting.isEmpty() && tryPost(operation)) {
            return;
        }
        if (waiting.size() >= backlog) {
            operation.fail(full(operation));
            return;
        }
        operation.queuedIn(this);
        waiting.addLast(operation);
    }

    /**
     * Posts an operation. Returns false if the queue has no room now; if true, the operation was posted or has failed.
     */
    private boolean tryPost(Operation<?> operation) {
        if (freeCount == 0) {
            return false;
        }
        int slot = freeSlots[freeCount - 1];
        int errno = post(operation, slot);
        if (isFull(errno) && inFlight() > 0) {
            return false;
        }
        if (errno != 0) {
            operation.fail(notPosted(operation, errno));
            return true;
        }
        freeCount--;
        slots[slot] = operation;
        return true;
    }

    private static boolean isFull(int errno) {
        return errno == Errno.ENOMEM || errno == Errno.EAGAIN;
    }

    /** Frees the slot of a completion and returns its operation; null if no operation is posted in that slot. */
    final @Nullable Operation<?> complete(int slot) {
        if (slot < 0 || slot >= slots.length || slots[slot] == null) {
            return null;
        }
        Operation<?> operation = slots[slot];
        slots[slot] = null;
        freeSlots[freeCount++] = slot;
        return operation;
    }

    /** Posts waiting operations while there is room. Operations that could not be posted are added to the list. */
    final void postWaiting(CompletedOperations ended) {
        for (Operation<?> next = waiting.peekFirst(); next != null && tryPost(next); next = waiting.peekFirst()) {
            waiting.removeFirst();
            if (next.hasFailed()) {
                ended.add(next);
            }
        }
    }

    /** Withdraws an operation whose future has ended, unless it was posted. Any thread may call this method. */
    final void withdraw(Operation<?> operation) {
        boolean withdrawn;
        lock.lock();
        try {
            withdrawn = waiting.remove(operation);
        } finally {
            lock.unlock();
        }
        if (withdrawn) {
            operation.release();
        }
    }

    /** Fails the waiting operations. */
    final void failWaiting(FailureOf why, CompletedOperations ended) {
        for (Operation<?> next = waiting.pollFirst(); next != null; next = waiting.pollFirst()) {
            next.fail(why.of(next));
            ended.add(next);
        }
    }

    /** Fails the posted operations. The queue pair must be destroyed: until then the device uses their memory. */
    final void failAbandoned(FailureOf why, CompletedOperations ended) {
        for (int slot = 0; slot < slots.length; slot++) {
            Operation<?> operation = complete(slot);
            if (operation != null) {
                operation.fail(why.of(operation));
                ended.add(operation);
            }
        }
    }

    /** Creates a failure for each of several operations. */
    interface FailureOf {
        RdmaException of(Operation<?> operation);
    }

    final int inFlight() {
        return slots.length - freeCount;
    }

    final int waitingCount() {
        return waiting.size();
    }

    private RdmaException full(Operation<?> operation) {
        return new RdmaOperationBackpressureException(
                operation.neverPosted(),
                operation + " was rejected: " + inFlight() + " operations are posted and " + waiting.size()
                        + " wait, which is the limit",
                "Wait until some complete, or open the node with deeper queues or a longer backlog",
                null);
    }

    private static RdmaException notPosted(Operation<?> operation, int errno) {
        Facts facts = operation.neverPosted();
        String message = operation + " was not posted: " + Errno.describe(errno);
        return errno == Errno.EOPNOTSUPP
                ? new RdmaOperationNotSupportedException(
                        facts, message, "This device does not support it: use another operation or device", null)
                : new RdmaOperationException(
                        facts, message, "The device rejected it in this state of the queue pair. Connect again", null);
    }
}
