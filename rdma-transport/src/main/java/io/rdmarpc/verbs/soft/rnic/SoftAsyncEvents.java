package io.rdmarpc.verbs.soft.rnic;

import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.verbs.AsyncEvent;
import io.rdmarpc.verbs.AsyncEventListener;
import io.rdmarpc.verbs.AsyncEventSubscriptions;
import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.RdmaContext.Subscription;
import io.rdmarpc.verbs.SharedReceiveQueue;
import io.rdmarpc.verbs.soft.port.DeviceConstants;
import io.rdmarpc.verbs.soft.port.SoftPort;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The asynchronous events (InfiniBand Architecture Specification vol. 1, 11.6.3), and the daemon thread that delivers
 * them once there is a listener. Events are added under the RNIC's lock; listeners are called without it. Once a second
 * the thread also checks the host's interfaces, because no notification reports that a port goes down.
 */
public final class SoftAsyncEvents implements Runnable {

    private static final long PORT_CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long FAILED_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final FailureLog failures = new FailureLog(System.getLogger(SoftAsyncEvents.class.getName()));

    private final RnicContext rnic;
    private final SoftPort port;
    private final Condition changed;
    private final AsyncEventSubscriptions subscriptions = new AsyncEventSubscriptions();
    private final Deque<AsyncEvent> pending = new ArrayDeque<>();
    private boolean started;
    private boolean ended;

    public SoftAsyncEvents(RnicContext rnic, SoftPort port) {
        this.rnic = rnic;
        this.port = port;
        this.changed = rnic.newCondition();
    }

    // ---- under the lock ----

    public Subscription subscribe(AsyncEventListener listener) {
        if (!started) {
            started = true;
            Thread.ofPlatform()
                    .daemon()
                    .name("rdma-events-" + DeviceConstants.NAME)
                    .start(this);
        }
        return subscriptions.add(listener);
    }

    public void add(AsyncEventType type, QueuePair qp) {
        add(new AsyncEvent(type, DeviceConstants.NAME, 0, qp, null, null));
    }

    public void add(AsyncEventType type, CompletionQueue cq) {
        add(new AsyncEvent(type, DeviceConstants.NAME, 0, null, cq, null));
    }

    public void add(AsyncEventType type, SharedReceiveQueue srq) {
        add(new AsyncEvent(type, DeviceConstants.NAME, 0, null, null, srq));
    }

    /** Adds an event; it is discarded if there was never a listener. */
    public void add(AsyncEvent event) {
        if (started && !ended) {
            pending.add(event);
            changed.signal();
        }
    }

    /** Discards the pending events of a closed object. */
    @SuppressWarnings("ReferenceEquality") // compares identities on purpose
    public void forget(Object target) {
        if (!pending.isEmpty()) {
            pending.removeIf(event -> event.queuePair() == target
                    || event.completionQueue() == target
                    || event.sharedReceiveQueue() == target);
        }
    }

    /** Stops the delivery. Does not wait for a running listener, which may itself be the caller. */
    public void end() {
        ended = true;
        pending.clear();
        changed.signal();
    }

    // ---- the thread ----

    @Override
    public void run() {
        long nextCheck = System.nanoTime() + PORT_CHECK_NANOS;
        while (!isEnded()) {
            try {
                deliverNext(nextCheck - System.nanoTime());
                if (System.nanoTime() - nextCheck >= 0) {
                    nextCheck = System.nanoTime() + PORT_CHECK_NANOS;
                    checkPort();
                }
            } catch (Throwable e) {
                failures.report("the event thread of the software RNIC failed and continues", e);
                LockSupport.parkNanos(this, FAILED_NANOS);
            }
        }
    }

    private void deliverNext(long longestNanos) {
        AsyncEvent event = take(longestNanos);
        if (event != null) {
            subscriptions.tell(event);
        }
    }

    private boolean isEnded() {
        rnic.lock();
        try {
            return ended;
        } finally {
            rnic.unlock();
        }
    }

    /** Adds events for changes of the port since the last check. Not under the lock, because the check takes long. */
    public void checkPort() {
        List<AsyncEventType> events = port.pollEvents();
        if (!events.isEmpty()) {
            rnic.lock();
            try {
                events.forEach(type -> add(AsyncEvent.ofPort(type, DeviceConstants.NAME, DeviceConstants.PORT_NUMBER)));
            } finally {
                rnic.unlock();
            }
        }
    }

    /** Waits for an event; null after the timeout or at the end. */
    private @Nullable AsyncEvent take(long longestNanos) {
        rnic.lock();
        try {
            long left = longestNanos;
            while (pending.isEmpty() && !ended && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            // Ignored: only the end of the RNIC ends this thread.
        } finally {
            rnic.unlock();
        }
        return poll();
    }

    private @Nullable AsyncEvent poll() {
        rnic.lock();
        try {
            return pending.poll();
        } finally {
            rnic.unlock();
        }
    }
}
