package io.rdmarpc.rpc.runtime;

import io.rdmarpc.concurrent.LoopOwnership;
import io.rdmarpc.rpc.engine.EventLoop;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs the engines of a runtime on one thread of its user: an event loop of the user's own that makes calls and processes their
 * responses without a hand-over to another thread. The polling threads yield the engines until the invoker is closed.
 *
 * <pre>
 *   try (EngineInvoker invoker = runtime.invoker(Duration.ofSeconds(1))) {
 *       while (goesOn()) {
 *           invoker.invoke();
 *           begin(calls);           // their responses come in a later invocation
 *       }
 *   }
 * </pre>
 *
 * <p>What otherwise runs on a polling thread runs on this thread inside {@link #invoke}: inline methods, and handlers of responses. The
 * thread may not wait for a call meanwhile, which is rejected. It has to invoke the engines often: while no thread runs an engine, the
 * engine's calls stand still. Only the thread that opened the invoker may use it. If that thread ends without closing it, the polling
 * threads run the engines again.
 */
public final class EngineInvoker implements AutoCloseable {

    private static final long LOOK_NANOS = 100_000;

    private final List<EventLoop> loops;
    private final Thread thread = Thread.currentThread();
    private int acquired;

    private EngineInvoker(List<EventLoop> loops) {
        this.loops = loops;
    }

    static EngineInvoker open(List<EventLoop> loops, Duration limit) {
        if (Thread.currentThread().isVirtual()) {
            throw new IllegalStateException("a virtual thread cannot run engines: use a platform thread");
        }
        EngineInvoker invoker = new EngineInvoker(loops);
        long latest = System.nanoTime() + limit.toNanos();
        try {
            for (EventLoop loop : loops) {
                invoker.acquire(loop, limit, latest);
            }
            return invoker;
        } catch (RuntimeException | Error e) {
            invoker.close();
            throw e;
        }
    }

    private void acquire(EventLoop loop, Duration limit, long latest) {
        LoopOwnership ownership = loop.ownership();
        if (ownership.isMine()) {
            throw new IllegalStateException("this thread runs an engine already");
        }
        if (!ownership.tryAcquire() && !waitFor(ownership, latest)) {
            throw new RdmaTimeoutException(
                    ownership.isClosed()
                            ? "the runtime is stopped: no thread runs its engines"
                            : "an engine was not free within " + limit
                                    + ": another thread waits for a call or runs it");
        }
        acquired++;
        ownership.takeOver();
    }

    /** Requests the loop. If another thread has requested it, that one is first. */
    private static boolean waitFor(LoopOwnership ownership, long latest) {
        boolean requested = false;
        while (!ownership.isMine() && !ownership.tryAcquire()) {
            if (ownership.isClosed() || System.nanoTime() - latest >= 0) {
                return requested && !ownership.withdraw();
            }
            requested = requested || ownership.request();
            LockSupport.parkNanos(ownership, LOOK_NANOS);
        }
        if (requested) {
            boolean _ = ownership.withdraw();
        }
        return true;
    }

    /**
     * Runs each engine's duty cycle once. Never blocks.
     *
     * @return how much work there was, 0 when idle
     * @throws IllegalStateException if the runtime was stopped, the thread was interrupted, or the invoker is closed, and on
     *     another thread than the one that opened it
     */
    @SuppressWarnings("ReferenceEquality") // a thread equals only itself
    public int invoke() {
        if (Thread.currentThread() != thread) {
            throw new IllegalStateException("these engines are run by " + thread.getName());
        }
        if (thread.isInterrupted()) {
            throw new IllegalStateException(
                    "an interrupted thread must not run engines: it would close the files that they use");
        }
        if (acquired == 0) {
            throw new IllegalStateException("closed already");
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
            throw new IllegalStateException("the runtime was stopped");
        }
        return loop.doWork();
    }

    /**
     * Releases the engines to the polling threads. A second call has no effect, and neither has any call after the thread that opened the
     * invoker has ended.
     *
     * @throws IllegalStateException on another thread than the one that opened it
     */
    @Override
    @SuppressWarnings("ReferenceEquality") // a thread equals only itself
    public void close() {
        if (Thread.currentThread() != thread) {
            if (thread.isAlive()) {
                throw new IllegalStateException(
                        "these engines are closed by " + thread.getName() + ", which acquired them");
            }
            return;
        }
        while (acquired > 0) {
            LoopOwnership ownership = loops.get(--acquired).ownership();
            ownership.release();
            ownership.wake();
        }
    }
}
