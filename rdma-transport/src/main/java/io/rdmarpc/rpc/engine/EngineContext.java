package io.rdmarpc.rpc.engine;

import io.rdmarpc.concurrent.LoopOwnership;
import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.concurrent.TimerWheel;
import io.rdmarpc.rpc.config.RpcConfig;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongConsumer;

/**
 * What all parts of one engine share: its time and timers, its counters and failures, its settings, and the ways to its thread and
 * away from it. It knows no part: each is given the few others that it works with.
 */
final class EngineContext {

    /** 131 µs: shorter than any time-out, so that it does not matter. */
    private static final int TICK_SHIFT = 17;
    /** 268 ms in a round, longer than the longest pause between two sends. */
    private static final int WHEEL_BUCKETS = 2048;

    private final RpcConfig config;
    private final NanoClock clock;
    private final Executor blocking;
    private final EngineCounters counters = new EngineCounters();
    private final LoopFailures failures = new LoopFailures(counters);
    private final CommandQueue commands = new CommandQueue(failures);
    private final LoopOwnership ownership;
    private final TimerWheel timers;
    private final StoppedLoop stopped;

    EngineContext(RpcConfig config, NanoClock clock, Executor blocking, LoopOwnership ownership) {
        this.config = config;
        this.clock = clock;
        this.blocking = blocking;
        this.ownership = ownership;
        this.timers = new TimerWheel(TICK_SHIFT, WHEEL_BUCKETS, clock.nanoTime(), this::timerThrew);
        this.stopped = new StoppedLoop(commands, failures, clock);
    }

    private void timerThrew(Throwable failure) {
        failures.caught("a timer, which comes again", failure);
    }

    RpcConfig config() {
        return config;
    }

    NanoClock clock() {
        return clock;
    }

    TimerWheel timers() {
        return timers;
    }

    EngineCounters counters() {
        return counters;
    }

    LoopFailures failures() {
        return failures;
    }

    CommandQueue commands() {
        return commands;
    }

    LoopOwnership ownership() {
        return ownership;
    }

    StoppedLoop stopped() {
        return stopped;
    }

    Executor blocking() {
        return blocking;
    }

    /** Returns whether this thread runs the loop, so that it must not block. */
    boolean isOwnedHere() {
        return ownership.isMine();
    }

    /** Queues a command. The owner of the loop needs not be woken, and its commands need no queue between threads. */
    void submit(EngineCommand command) {
        if (ownership.isMine()) {
            commands.offerOwn(command);
            return;
        }
        commands.offer(command);
        ownership.wake();
        if (stopped.isNow()) {
            stopped.execute();
        }
    }

    void submit(LongConsumer action) {
        submit(new EngineCommand() {
            @Override
            void execute(long nowNanos) {
                action.accept(nowNanos);
            }
        });
    }

    /** Runs what may block, elsewhere. Any thread. */
    void runBlocking(Runnable step) {
        try {
            blocking.execute(step);
        } catch (RejectedExecutionException e) {
            // The runtime is closed: this thread runs the step, and delays no engine.
            step.run();
        }
    }

    /** Returns whether users are notified {@linkplain #tellLater later}: this thread holds a lock that others want. */
    boolean tellsLater() {
        return stopped.isExecutedHere();
    }

    /** Notifies a user when nothing is locked any more; where {@link #tellsLater}. */
    void tellLater(Runnable end) {
        stopped.tellLater(end);
    }

    /** Notifies a user, now or later. What it runs must not throw. */
    void tell(Runnable end) {
        if (tellsLater()) {
            tellLater(end);
        } else {
            end.run();
        }
    }
}
