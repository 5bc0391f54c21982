package io.rdmarpc.rpc.runtime;

import io.rdmarpc.concurrent.IdleStrategy;
import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/**
 * An idle strategy in four steps. It spins while its {@link SpinBudget} allows it, then yields its core between polls.
 * Then it arms the completion queues, polls them once more, and sleeps on their channel. If other threads need the
 * core, it sleeps after a few polls. Packets and commands end the sleep at once. While timers or other time-dependent
 * work exists, the sleep is short.
 *
 * <p>No event is missed. The duty cycle after the arming finds earlier completions. A later completion causes an event.
 * A producer publishes its command and then checks whether the loop sleeps. The loop publishes that it sleeps and then
 * checks for commands. The channel keeps a wake-up that arrives before the wait.
 */
final class ChannelIdleStrategy implements IdleStrategy {

    private static final System.Logger LOG = System.getLogger(ChannelIdleStrategy.class.getName());

    /**
     * Upper bound of a sleep, in case a device misses an event. Four wake-ups a second cost less than those of the JVM
     * itself.
     */
    private static final Duration LONG_SLEEP = Duration.ofMillis(250);

    /**
     * Idle duty cycles before a sleep if the core is contended. A sleep and a wake-up take longer than these cycles.
     */
    static final int CONTENDED_CYCLES = 16;

    private final CompletionChannel channel;
    private final IntSupplier arm;
    private final BooleanSupplier hasWork;
    private final BooleanSupplier needsTime;
    private final int yields;
    private final Duration shortSleep;
    private final IdleStrategy fallback;
    private final AtomicBoolean sleeping = new AtomicBoolean();
    private final SpinBudget spin = new SpinBudget();
    private final YieldBackoff yieldBackoff;
    private int idleCycles;
    private boolean contended;
    private boolean armed;
    private volatile boolean broken;

    /**
     * Creates the strategy of one event loop.
     *
     * @param channel the channel of all completion queues of the loop; no other thread waits on it
     * @param arm arms all of them; returns 0 or an error number
     * @param hasWork whether a duty cycle would find work that another thread has published
     * @param needsTime whether there is time-dependent work, which causes no event
     * @param yields duty cycles without work before the loop sleeps
     * @param shortSleep longest sleep while there is time-dependent work
     * @param yieldBackoff yields the core
     * @param fallback the strategy after a failure of the channel
     */
    ChannelIdleStrategy(
            CompletionChannel channel,
            IntSupplier arm,
            BooleanSupplier hasWork,
            BooleanSupplier needsTime,
            int yields,
            Duration shortSleep,
            YieldBackoff yieldBackoff,
            IdleStrategy fallback) {
        this.channel = channel;
        this.arm = arm;
        this.hasWork = hasWork;
        this.needsTime = needsTime;
        this.yields = yields;
        this.shortSleep = shortSleep;
        this.yieldBackoff = yieldBackoff;
        this.fallback = fallback;
    }

    @Override
    public void idle(int workCount) {
        if (broken) {
            fallback.idle(workCount);
        } else if (workCount > 0) {
            idleCycles = 0;
            armed = false;
            spin.onWork();
        } else if (isEarly()) {
            idleCycles++;
            stayAwake();
        } else if (!armed) {
            // The next duty cycle polls once more.
            check(arm.getAsInt());
            armed = true;
        } else {
            sleep();
        }
    }

    @Override
    public boolean spins() {
        return spin.hasCycles() && !contended && !broken;
    }

    private boolean isEarly() {
        if (idleCycles == 0) {
            contended = yieldBackoff.isContended();
        }
        return idleCycles < (contended ? Math.min(CONTENDED_CYCLES, yields) : yields);
    }

    private void stayAwake() {
        if (spin.spins() || contended) {
            Thread.onSpinWait();
        } else {
            contended = yieldBackoff.relinquish();
        }
    }

    private void sleep() {
        // hasWork may release the loop to other threads, so needsTime, which reads the loop's state, comes first.
        Duration limit = needsTime.getAsBoolean() ? shortSleep : LONG_SLEEP;
        sleeping.set(true);
        try {
            if (!hasWork.getAsBoolean()) {
                armed = channel.await(limit) == 0;
            }
        } catch (RdmaVerbsException e) {
            fallBackToPolling(e.toString());
        } finally {
            sleeping.set(false);
        }
    }

    private void check(int errno) {
        if (errno != 0) {
            fallBackToPolling("arming the completion queues failed with error " + errno);
        }
    }

    private void fallBackToPolling(String reason) {
        broken = true;
        LOG.log(
                System.Logger.Level.WARNING,
                "waiting for completion events failed: {0}. The engine polls with sleeps from now on",
                reason);
    }

    @Override
    public boolean holdSleep() {
        return !broken && sleeping.get() && channel.holdEvents();
    }

    @Override
    public void releaseSleep() {
        channel.releaseEvents();
    }

    @Override
    public void wake() {
        if (broken) {
            fallback.wake();
        } else if (sleeping.get() && sleeping.getAndSet(false)) {
            channel.wakeUp();
        }
    }
}
