package io.rdmarpc.rpc.engine.server;

import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.rpc.RpcCancellation;
import io.rdmarpc.rpc.engine.context.EngineCommand;
import io.rdmarpc.rpc.engine.context.EngineContext;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cancellation of a call, as its handler sees it. Created when a handler first requests it, so that other calls do
 * not pay for it. If a handler adds a listener or a thread to interrupt, the engine watches the deadline as well.
 *
 * <pre>
 *   waiting -> cancelled      CANCEL, a later call in the slot, the end of the session, the deadline
 *           -> ended         completed: listeners are no longer notified
 * </pre>
 */
final class CallCancellation extends EngineCommand implements RpcCancellation {

    private static final FailureLog FAILURES = new FailureLog(System.getLogger(CallCancellation.class.getName()));

    private final EngineContext context;
    private final CancellationWatch watch;
    private final NanoClock clock;
    private final long deadlineNanos;
    private final Object lock = new Object();
    // The lock guards all fields below. The engine acquires it only when a call with a listener has ended.
    private List<Runnable> listeners = new ArrayList<>(1);
    private boolean cancelled;
    private boolean ended;
    private boolean watched;

    CallCancellation(EngineContext context, CancellationWatch watch, long deadlineNanos) {
        this.context = context;
        this.watch = watch;
        this.clock = context.clock();
        this.deadlineNanos = deadlineNanos;
    }

    @Override
    public boolean isCancelled() {
        synchronized (lock) {
            return cancelled || (!ended && isExpired(clock.nanoTime()));
        }
    }

    @Override
    public void onCancel(Runnable listener) {
        boolean now;
        boolean watches;
        synchronized (lock) {
            now = cancelled;
            watches = !now && !ended && !watched;
            watched |= watches;
            if (!now && !ended) {
                listeners.add(listener);
            }
        }
        if (now) {
            notifyUser(listener);
        }
        if (watches) {
            context.submit(this);
        }
    }

    @Override
    public Scope interrupting() {
        InterruptScope scope = new InterruptScope(Thread.currentThread());
        onCancel(scope);
        return scope;
    }

    /** Adds the deadline to the engine's watch. */
    @Override
    public void execute(long nowNanos) {
        watch.add(this);
    }

    /** Cancels the call for its caller. Thread-safe; a second call does nothing. */
    void cancel() {
        List<Runnable> notified;
        synchronized (lock) {
            if (cancelled || ended) {
                return;
            }
            cancelled = true;
            notified = listeners;
            listeners = List.of();
        }
        notified.forEach(listener -> context.notifyUser(() -> notifyUser(listener)));
    }

    /** Records that the call is completed. Thread-safe. */
    void end() {
        synchronized (lock) {
            ended = true;
            listeners = List.of();
        }
    }

    /** Cancels the call if its deadline has passed; returns true if it need not be watched any more. */
    boolean isOver(long nowNanos) {
        if (isExpired(nowNanos)) {
            cancel();
            return true;
        }
        synchronized (lock) {
            return ended || cancelled;
        }
    }

    private boolean isExpired(long nowNanos) {
        return nowNanos - deadlineNanos >= 0;
    }

    private static void notifyUser(Runnable listener) {
        try {
            listener.run();
        } catch (Throwable e) {
            FAILURES.report("a cancellation listener of a call threw an exception, which it must not", e);
        }
    }

    /** Interrupts its thread at most once, and never after it was closed. */
    private static final class InterruptScope implements Scope, Runnable {

        private @Nullable Thread thread;
        private boolean interrupted;

        InterruptScope(Thread thread) {
            this.thread = thread;
        }

        @Override
        public synchronized void run() {
            Thread running = thread;
            if (running != null) {
                interrupted = true;
                running.interrupt();
            }
        }

        @Override
        public synchronized void close() {
            if (interrupted) {
                // The thread continues with other work, which was not cancelled.
                Thread.interrupted();
            }
            thread = null;
        }
    }
}
