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
 * What a handler gets to know of its caller's patience. Made when a handler first asks, so that the others cost nothing.
 * Who waits for the end - a listener, a thread to interrupt - has the engine watch the deadline too.
 *
 * <pre>
 *   waiting -> cancelled     CANCEL, a later call in the slot, the end of the session, the deadline
 *           -> ended         answered: nothing is told any more
 * </pre>
 */
final class CallCancellation extends EngineCommand implements RpcCancellation {

    private static final FailureLog FAILURES = new FailureLog(System.getLogger(CallCancellation.class.getName()));

    private final EngineContext context;
    private final CancellationWatch watch;
    private final NanoClock clock;
    private final long deadlineNanos;
    private final Object lock = new Object();
    // All guarded by the lock; the engine takes it only when a call with a listener is over.
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
            tell(listener);
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

    /** The engine looks after the deadline. */
    @Override
    public void execute(long nowNanos) {
        watch.add(this);
    }

    /** The caller has given up. Any thread; a second call does nothing. */
    void cancel() {
        List<Runnable> told;
        synchronized (lock) {
            if (cancelled || ended) {
                return;
            }
            cancelled = true;
            told = listeners;
            listeners = List.of();
        }
        told.forEach(listener -> context.tell(() -> tell(listener)));
    }

    /** The call is answered. Any thread. */
    void end() {
        synchronized (lock) {
            ended = true;
            listeners = List.of();
        }
    }

    /** Cancels when the deadline has passed; true when there is nothing left to watch. */
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

    private static void tell(Runnable listener) {
        try {
            listener.run();
        } catch (Throwable e) {
            FAILURES.report("a listener of a cancelled call threw; it must not", e);
        }
    }

    /** Interrupts its thread at most once, never after it was closed. */
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
                // The thread goes on to other work, which nobody has cancelled.
                Thread.interrupted();
            }
            thread = null;
        }
    }
}
