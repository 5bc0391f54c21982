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
 * What happened outside of work requests (InfiniBand Architecture Specification vol. 1, 11.6.3), and the daemon thread that tells
 * of it once there is a listener. Events come in under the RNIC's lock; listeners are called without it. The thread looks at
 * the host's interfaces too, once a second: nobody tells of a port that goes down.
 */
public final class SoftAsyncEvents implements Runnable {

    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long FAILED_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final FailureLog failures = new FailureLog(System.getLogger(SoftAsyncEvents.class.getName()));

    private final RnicContext rnic;
    private final SoftPort port;
    private final Condition changed;
    private final AsyncEventSubscriptions subscriptions = new AsyncEventSubscriptions();
    private final Deque<AsyncEvent> untold = new ArrayDeque<>();
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

    /** What nobody listens to is not kept. */
    public void add(AsyncEvent event) {
        if (started && !ended) {
            untold.add(event);
            changed.signal();
        }
    }

    /** An object is closed: nobody waits for its news. */
    @SuppressWarnings("ReferenceEquality") // This very object.
    public void forget(Object target) {
        if (!untold.isEmpty()) {
            untold.removeIf(event -> event.queuePair() == target
                    || event.completionQueue() == target
                    || event.sharedReceiveQueue() == target);
        }
    }

    /** Tells nothing any more. Does not wait for a listener that is being called: it may be who ends this. */
    public void end() {
        ended = true;
        untold.clear();
        changed.signal();
    }

    // ---- the thread ----

    @Override
    public void run() {
        long nextLook = System.nanoTime() + LOOK_NANOS;
        while (!isEnded()) {
            try {
                tellNext(nextLook - System.nanoTime());
                if (System.nanoTime() - nextLook >= 0) {
                    nextLook = System.nanoTime() + LOOK_NANOS;
                    lookAtPort();
                }
            } catch (Throwable e) {
                failures.report("the thread that reports events of the software RNIC failed, and goes on", e);
                LockSupport.parkNanos(this, FAILED_NANOS);
            }
        }
    }

    private void tellNext(long longestNanos) {
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

    /** Looks whether the port has changed since the last look. Not under the lock: that takes a while. */
    public void lookAtPort() {
        List<AsyncEventType> news = port.news();
        if (!news.isEmpty()) {
            rnic.lock();
            try {
                news.forEach(type -> add(AsyncEvent.ofPort(type, DeviceConstants.NAME, DeviceConstants.PORT_NUMBER)));
            } finally {
                rnic.unlock();
            }
        }
    }

    /** Waits for an event; null when there is none in time, or at the end. */
    private @Nullable AsyncEvent take(long longestNanos) {
        rnic.lock();
        try {
            long left = longestNanos;
            while (untold.isEmpty() && !ended && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            // Nobody has a reason to: only the end of the RNIC ends this thread.
        } finally {
            rnic.unlock();
        }
        return poll();
    }

    private @Nullable AsyncEvent poll() {
        rnic.lock();
        try {
            return untold.poll();
        } finally {
            rnic.unlock();
        }
    }
}
