package io.rdmarpc.rpc.runtime;

import io.rdmarpc.concurrent.IdleStrategy;
import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/**
 * Spins while that pays, then offers its core to others while it polls for nothing, then arms the completion queues, has
 * them polled once more, and sleeps on their channel: soon, where others want the core for long. Packets and commands end the
 * sleep at once; what only time brings is looked at after a short sleep, when there is something of that kind.
 *
 * <p>Why nothing is slept through: a completion that came before the arming is found by the turn after it, a later one
 * makes an event. A command is published before its producer looks whether the loop sleeps, and the loop says that it
 * sleeps before it looks for commands; the channel keeps a wake-up that comes before the wait.
 */
final class ChannelIdleStrategy implements IdleStrategy {

    private static final System.Logger LOG = System.getLogger(ChannelIdleStrategy.class.getName());

    /** A bound for what nothing announces though it should; four wake-ups a second cost less than the JVM's own. */
    private static final Duration LONG_SLEEP = Duration.ofMillis(250);

    /** Turns before it sleeps where others want the core: sleeping and waking take longer than these. */
    static final int CONTENDED_CYCLES = 16;

    private final CompletionChannel channel;
    private final IntSupplier arm;
    private final BooleanSupplier hasWork;
    private final BooleanSupplier needsTime;
    private final int yields;
    private final Duration shortSleep;
    private final IdleStrategy otherwise;
    private final AtomicBoolean sleeping = new AtomicBoolean();
    private final SpinBudget spin = new SpinBudget();
    private final YieldBackoff offer;
    private int idleTurns;
    private boolean contended;
    private boolean armed;
    private volatile boolean broken;

    /**
     * Makes the strategy of one loop.
     *
     * @param channel all completion queues of the loop are on it, and nothing else waits on it
     * @param arm arms all of them; answers an error number
     * @param hasWork whether a turn would find something that another thread has published
     * @param needsTime whether something is due after a while that nothing else announces
     * @param yields turns without work before it sleeps
     * @param shortSleep how long it sleeps while something needs time
     * @param offer how it offers its core
     * @param otherwise what to do when the channel fails
     */
    ChannelIdleStrategy(
            CompletionChannel channel,
            IntSupplier arm,
            BooleanSupplier hasWork,
            BooleanSupplier needsTime,
            int yields,
            Duration shortSleep,
            YieldBackoff offer,
            IdleStrategy otherwise) {
        this.channel = channel;
        this.arm = arm;
        this.hasWork = hasWork;
        this.needsTime = needsTime;
        this.yields = yields;
        this.shortSleep = shortSleep;
        this.offer = offer;
        this.otherwise = otherwise;
    }

    @Override
    public void idle(int workCount) {
        if (broken) {
            otherwise.idle(workCount);
        } else if (workCount > 0) {
            idleTurns = 0;
            armed = false;
            spin.onWork();
        } else if (isEarly()) {
            idleTurns++;
            stayAwake();
        } else if (!armed) {
            // The next turn polls once more.
            check(arm.getAsInt());
            armed = true;
        } else {
            sleep();
        }
    }

    @Override
    public boolean spins() {
        return spin.hasTurns() && !contended && !broken;
    }

    private boolean isEarly() {
        if (idleTurns == 0) {
            contended = offer.isContended();
        }
        return idleTurns < (contended ? Math.min(CONTENDED_CYCLES, yields) : yields);
    }

    private void stayAwake() {
        if (spin.spins() || contended) {
            Thread.onSpinWait();
        } else {
            contended = offer.relinquish();
        }
    }

    private void sleep() {
        // Who looks for work last may leave the loop to others: what asks the loop comes before.
        Duration limit = needsTime.getAsBoolean() ? shortSleep : LONG_SLEEP;
        sleeping.set(true);
        try {
            if (!hasWork.getAsBoolean()) {
                armed = channel.await(limit) == 0;
            }
        } catch (RdmaVerbsException e) {
            giveUp(e.toString());
        } finally {
            sleeping.set(false);
        }
    }

    private void check(int errno) {
        if (errno != 0) {
            giveUp("arming failed with error " + errno);
        }
    }

    private void giveUp(String reason) {
        broken = true;
        LOG.log(System.Logger.Level.WARNING, "no events of completion queues, polling instead: {0}", reason);
    }

    @Override
    public void wake() {
        if (broken) {
            otherwise.wake();
        } else if (sleeping.get() && sleeping.getAndSet(false)) {
            channel.wakeUp();
        }
    }
}
