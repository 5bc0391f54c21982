package io.rdmarpc.rpc.engine.context;

import io.rdmarpc.concurrent.LoopOwnership;
import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.concurrent.TimerWheel;
import io.rdmarpc.rpc.config.RpcConfig;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongConsumer;

/**
 * The objects that all components of one engine share: clock and timers, counters and failures, settings, the command
 * queue, and the executor for blocking work. It refers to no component. Each component receives the few others that it
 * uses.
 */
public final class EngineContext {

    /** A tick of 131 µs, which is shorter than any timeout. */
    private static final int TICK_SHIFT = 17;
    /** A round of 268 ms, which is longer than the longest pause between two sends. */
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

    public EngineContext(RpcConfig config, NanoClock clock, Executor blocking, LoopOwnership ownership) {
        this.config = config;
        this.clock = clock;
        this.blocking = blocking;
        this.ownership = ownership;
        this.timers = new TimerWheel(TICK_SHIFT, WHEEL_BUCKETS, clock.nanoTime(), this::timerThrew);
        this.stopped = new StoppedLoop(commands, failures, clock);
    }

    private void timerThrew(Throwable failure) {
        failures.caught("a timer, which is due again later", failure);
    }

    public RpcConfig config() {
        return config;
    }

    public NanoClock clock() {
        return clock;
    }

    public TimerWheel timers() {
        return timers;
    }

    public EngineCounters counters() {
        return counters;
    }

    public LoopFailures failures() {
        return failures;
    }

    public CommandQueue commands() {
        return commands;
    }

    public LoopOwnership ownership() {
        return ownership;
    }

    public StoppedLoop stopped() {
        return stopped;
    }

    public Executor blocking() {
        return blocking;
    }

    /** Returns whether this thread runs the loop, so that it must not block. */
    public boolean isOwnedHere() {
        return ownership.isMine();
    }

    /** Queues a command. The owner of the loop need not be woken, and its commands need no queue between threads. */
    public void submit(EngineCommand command) {
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

    public void submit(LongConsumer action) {
        submit(new EngineCommand() {
            @Override
            public void execute(long nowNanos) {
                action.accept(nowNanos);
            }
        });
    }

    /** Runs on another thread a step that may block. Thread-safe. */
    public void runBlocking(Runnable step) {
        try {
            blocking.execute(step);
        } catch (RejectedExecutionException e) {
            // The runtime is closed, so this thread runs the step. It delays no engine.
            step.run();
        }
    }

    /**
     * Returns whether users are notified {@linkplain #notifyLater later}, because this thread holds a lock that other
     * threads need.
     */
    public boolean notifiesLater() {
        return stopped.isExecutedHere();
    }

    /** Notifies a user after the lock was released; used if {@link #notifiesLater}. */
    public void notifyLater(Runnable end) {
        stopped.notifyLater(end);
    }

    /** Notifies a user, now or later. The notification must not throw. */
    public void notifyUser(Runnable end) {
        if (notifiesLater()) {
            notifyLater(end);
        } else {
            end.run();
        }
    }
}
