package io.rdmarpc.rpc.runtime;

import io.rdmarpc.concurrent.LoopOwnership;
import io.rdmarpc.rpc.engine.EventLoop;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Runs the engines of a runtime, or one of them, on an application thread. An application with its own event loop can thus make calls
 * and process their responses without a hand-over to another thread. The polling threads yield the engines until the
 * invoker is closed.
 *
 * <pre>
 *   try (EngineInvoker invoker = runtime.invoker(Duration.ofSeconds(1))) {
 *       while (running) {
 *           invoker.invoke();
 *           begin(calls);           // their responses come in a later duty cycle
 *       }
 *   }
 * </pre>
 *
 * <p>Several threads can run one engine each ({@link RdmaRuntime#invoker(int, Duration)}). Proxies of service interfaces
 * then use the session on the engine of the calling thread, so that these threads share nothing.
 *
 * <p>Inline methods and response handlers run on this thread inside {@link #invoke}. The thread cannot wait for a call
 * meanwhile; such an attempt throws an exception. It must invoke the engines often, because their calls make no
 * progress otherwise. Only the thread that opened the invoker may use it. If that thread ends without closing it, the
 * polling threads run the engines again.
 */
public final class EngineInvoker implements AutoCloseable {

    private static final long POLL_NANOS = 100_000;

    /** The number of all engines, for an invoker that runs them all. */
    static final int ALL = -1;

    /** The invoker of each thread that has one. */
    private static final ThreadLocal<EngineInvoker> OF_THREAD = new ThreadLocal<>();

    /** Whether any thread has ever opened an invoker. Most applications open none, and need not look for an entry. */
    private static volatile boolean hasEntries;

    private final List<EventLoop> loops;
    private final int engine;
    private final Thread thread = Thread.currentThread();
    private int acquired;

    private EngineInvoker(List<EventLoop> loops, int engine) {
        this.loops = loops;
        this.engine = engine;
    }

    /** Opens an invoker for these loops; the engine is the number of the only one, or {@link #ALL}. */
    static EngineInvoker open(List<EventLoop> loops, int engine, Duration limit) {
        if (Thread.currentThread().isVirtual()) {
            throw new IllegalStateException(
                    "a virtual thread cannot run engines: open the invoker on a platform thread");
        }
        if (isOpenHere()) {
            throw new IllegalStateException("this thread runs engines already: close its invoker first. One thread can"
                    + " run one engine, or all engines, of one runtime");
        }
        EngineInvoker invoker = new EngineInvoker(loops, engine);
        long latest = System.nanoTime() + limit.toNanos();
        try {
            for (EventLoop loop : loops) {
                invoker.acquire(loop, limit, latest);
            }
            OF_THREAD.set(invoker);
            hasEntries = true;
            return invoker;
        } catch (RuntimeException | Error e) {
            invoker.close();
            throw e;
        }
    }

    /**
     * Returns the engine that the current thread runs with an invoker.
     *
     * @return its number, -1 for a thread that runs none or all
     */
    static int currentEngine() {
        EngineInvoker own = ofThread();
        return own == null ? ALL : own.engine;
    }

    /**
     * Returns whether the current thread has an open invoker. Responses to its calls then arrive on this thread.
     *
     * @return true between the opening and the close
     */
    public static boolean isOpenHere() {
        return ofThread() != null;
    }

    private static @Nullable EngineInvoker ofThread() {
        return hasEntries && !Thread.currentThread().isVirtual() ? OF_THREAD.get() : null;
    }

    private void acquire(EventLoop loop, Duration limit, long latest) {
        LoopOwnership ownership = loop.ownership();
        if (ownership.isMine()) {
            throw new IllegalStateException(
                    "this thread runs an engine already: close its invoker, or leave the handler, first");
        }
        if (!ownership.tryAcquire() && !waitFor(ownership, latest)) {
            throw new RdmaTimeoutException(
                    ownership.isClosed()
                            ? "the runtime is stopped: start it before you open an invoker"
                            : "an engine was not free within " + limit
                                    + ": another thread runs it, for example a waiting caller. Wait longer");
        }
        acquired++;
        ownership.takeOver();
    }

    /** Requests the loop and waits for it. A thread that has requested it earlier runs first. */
    private static boolean waitFor(LoopOwnership ownership, long latest) {
        boolean requested = false;
        while (!ownership.isMine() && !ownership.tryAcquire()) {
            if (ownership.isClosed() || System.nanoTime() - latest >= 0) {
                return requested && !ownership.withdraw();
            }
            requested = requested || ownership.request();
            LockSupport.parkNanos(ownership, POLL_NANOS);
        }
        if (requested) {
            boolean _ = ownership.withdraw();
        }
        return true;
    }

    /**
     * Runs one duty cycle of each engine. Never blocks.
     *
     * @return the amount of work done, 0 if idle
     * @throws IllegalStateException if the runtime was stopped, the thread was interrupted, the invoker is closed, or
     *     the calling thread is not its opener
     */
    @SuppressWarnings("ReferenceEquality") // a thread equals only itself
    public int invoke() {
        if (Thread.currentThread() != thread) {
            throw new IllegalStateException(
                    "only " + thread.getName() + ", which opened this invoker, may run its engines");
        }
        if (thread.isInterrupted()) {
            throw new IllegalStateException("an interrupted thread must not run engines, because the interrupt would"
                    + " close their files: clear the interrupt first");
        }
        if (acquired == 0) {
            throw new IllegalStateException("this invoker is closed: open another one");
        }
        int work = 0;
        for (int i = 0; i < loops.size(); i++) {
            work += invoke(loops.get(i));
        }
        return work;
    }

    private int invoke(EventLoop loop) {
        if (loop.ownership().isClosed()) {
            close();
            throw new IllegalStateException("the runtime was stopped: this invoker is closed now");
        }
        return loop.doWork();
    }

    /**
     * Releases the engines to the polling threads. A second call has no effect. A call of another thread has no effect
     * after the opening thread has ended.
     *
     * @throws IllegalStateException if the calling thread is not the opener, and the opener is alive
     */
    @Override
    @SuppressWarnings("ReferenceEquality") // a thread equals only itself
    public void close() {
        if (Thread.currentThread() != thread) {
            if (thread.isAlive()) {
                throw new IllegalStateException(
                        "only " + thread.getName() + ", which opened this invoker, may close it");
            }
            return;
        }
        if (acquired > 0) {
            OF_THREAD.remove();
        }
        while (acquired > 0) {
            LoopOwnership ownership = loops.get(--acquired).ownership();
            ownership.release();
            ownership.wake();
        }
    }
}
