package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.AsyncEvent;
import io.rdmarpc.verbs.AsyncEventListener;
import io.rdmarpc.verbs.AsyncEventSubscriptions;
import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.RdmaContext.Subscription;
import io.rdmarpc.verbs.SharedReceiveQueue;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * What happened outside of work requests (InfiniBand Architecture Specification vol. 1, 11.6.3), and the daemon thread that tells
 * of it once there is a listener. Events come in under the RNIC's lock; listeners are called without it.
 */
final class SoftAsyncEvents implements Runnable {

    private final SoftRnic rnic;
    private final Condition changed;
    private final AsyncEventSubscriptions subscriptions = new AsyncEventSubscriptions();
    private final Deque<AsyncEvent> untold = new ArrayDeque<>();
    private boolean started;
    private boolean ended;

    SoftAsyncEvents(SoftRnic rnic, Condition changed) {
        this.rnic = rnic;
        this.changed = changed;
    }

    // ---- under the lock ----

    Subscription subscribe(AsyncEventListener listener) {
        if (!started) {
            started = true;
            Thread.ofPlatform().daemon().name("rdma-events-" + SoftDevice.NAME).start(this);
        }
        return subscriptions.add(listener);
    }

    void add(AsyncEventType type, QueuePair qp) {
        add(new AsyncEvent(type, SoftDevice.NAME, 0, qp, null, null));
    }

    void add(AsyncEventType type, CompletionQueue cq) {
        add(new AsyncEvent(type, SoftDevice.NAME, 0, null, cq, null));
    }

    void add(AsyncEventType type, SharedReceiveQueue srq) {
        add(new AsyncEvent(type, SoftDevice.NAME, 0, null, null, srq));
    }

    /** What nobody listens to is not kept. */
    private void add(AsyncEvent event) {
        if (started && !ended) {
            untold.add(event);
            changed.signal();
        }
    }

    /** An object is closed: nobody waits for its news. */
    @SuppressWarnings("ReferenceEquality") // This very object.
    void forget(Object target) {
        if (!untold.isEmpty()) {
            untold.removeIf(event -> event.queuePair() == target
                    || event.completionQueue() == target
                    || event.sharedReceiveQueue() == target);
        }
    }

    /** Tells nothing any more. Does not wait for a listener that is being called: it may be who ends this. */
    void end() {
        ended = true;
        untold.clear();
        changed.signal();
    }

    // ---- the thread ----

    @Override
    public void run() {
        AsyncEvent event = take();
        while (event != null) {
            subscriptions.tell(event);
            event = take();
        }
    }

    private @Nullable AsyncEvent take() {
        rnic.lock();
        try {
            while (untold.isEmpty() && !ended) {
                changed.awaitUninterruptibly();
            }
            return untold.poll();
        } finally {
            rnic.unlock();
        }
    }
}
