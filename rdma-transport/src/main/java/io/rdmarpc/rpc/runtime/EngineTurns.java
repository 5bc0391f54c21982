package io.rdmarpc.rpc.runtime;

import io.rdmarpc.concurrent.LoopSeat;
import io.rdmarpc.rpc.RdmaTimeoutException;
import io.rdmarpc.rpc.engine.EventLoop;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The engines of a runtime, turned by one thread of its user for a while: an event loop of one's own that makes calls and takes
 * their answers without a hand-over to another thread. The polling threads stand back until it is closed.
 *
 * <pre>
 *   try (EngineTurns turns = runtime.takeTurns(Duration.ofSeconds(1))) {
 *       while (goesOn()) {
 *           turns.turn();
 *           begin(calls);           // what they answer comes in a later turn
 *       }
 *   }
 * </pre>
 *
 * <p>Whatever runs on a polling thread otherwise runs on this one inside {@link #turn}: inline methods, and what is told of
 * answers. The thread may not wait for a call meanwhile, which is refused. It has to come back soon: while nobody turns an engine
 * its calls stand still. For the thread that took it only; should that thread end without closing it, the polling threads go
 * on.
 */
public final class EngineTurns implements AutoCloseable {

    private static final long LOOK_NANOS = 100_000;

    private final List<EventLoop> loops;
    private final Thread thread = Thread.currentThread();
    private int taken;

    private EngineTurns(List<EventLoop> loops) {
        this.loops = loops;
    }

    static EngineTurns take(List<EventLoop> loops, Duration limit) {
        if (Thread.currentThread().isVirtual()) {
            throw new IllegalStateException("a virtual thread cannot turn engines: take a platform thread");
        }
        EngineTurns turns = new EngineTurns(loops);
        long latest = System.nanoTime() + limit.toNanos();
        try {
            for (EventLoop loop : loops) {
                turns.take(loop, limit, latest);
            }
            return turns;
        } catch (RuntimeException | Error e) {
            turns.close();
            throw e;
        }
    }

    private void take(EventLoop loop, Duration limit, long latest) {
        LoopSeat seat = loop.seat();
        if (seat.isMine()) {
            throw new IllegalStateException("this thread turns an engine already");
        }
        if (!seat.tryTake() && !waitFor(seat, latest)) {
            throw new RdmaTimeoutException(
                    seat.isClosed()
                            ? "the runtime is stopped: nobody turns its engines"
                            : "an engine was not free within " + limit
                                    + ": another thread waits for a call or turns it");
        }
        taken++;
        if (seat.visit()) {
            loop.wakeUp();
        }
    }

    /** Asks for the seat; another thread may ask for it, too, and is given it first. */
    private static boolean waitFor(LoopSeat seat, long latest) {
        boolean asks = false;
        while (!seat.isMine() && !seat.tryTake()) {
            if (seat.isClosed() || System.nanoTime() - latest >= 0) {
                return asks && !seat.withdraw();
            }
            asks = asks || seat.request();
            LockSupport.parkNanos(seat, LOOK_NANOS);
        }
        if (asks) {
            boolean _ = seat.withdraw();
        }
        return true;
    }

    /**
     * Turns each engine once. Never blocks.
     *
     * @return how much there was to do, 0 when idle
     * @throws IllegalStateException when the runtime was stopped, when the thread was interrupted, when this is closed, or on
     *     another thread than the one that took it
     */
    @SuppressWarnings("ReferenceEquality") // a thread is itself and no other
    public int turn() {
        if (Thread.currentThread() != thread) {
            throw new IllegalStateException("these engines are turned by " + thread.getName());
        }
        if (thread.isInterrupted()) {
            throw new IllegalStateException(
                    "an interrupted thread must not turn engines: it would close what they work with");
        }
        if (taken == 0) {
            throw new IllegalStateException("closed already");
        }
        int work = 0;
        for (int i = 0; i < loops.size(); i++) {
            work += turn(loops.get(i));
        }
        return work;
    }

    private int turn(EventLoop loop) {
        if (loop.seat().isClosed()) {
            close();
            throw new IllegalStateException("the runtime was stopped");
        }
        return loop.doWork();
    }

    /**
     * Leaves the engines to the polling threads. A second call does nothing, and so does any call when the thread that took the
     * engines has ended.
     *
     * @throws IllegalStateException on another thread than the one that took the engines
     */
    @Override
    @SuppressWarnings("ReferenceEquality") // a thread is itself and no other
    public void close() {
        if (Thread.currentThread() != thread) {
            if (thread.isAlive()) {
                throw new IllegalStateException(
                        "these engines are closed by " + thread.getName() + ", which took them");
            }
            return;
        }
        while (taken > 0) {
            EventLoop loop = loops.get(--taken);
            loop.seat().leave();
            loop.wakeUp();
        }
    }
}
