package io.rdmarpc.rpc.engine.packet;

import io.rdmarpc.concurrent.WheelTimer;
import io.rdmarpc.rpc.engine.context.EngineCommand;
import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.engine.context.EngineCounters.Counter;
import io.rdmarpc.rpc.engine.context.LoopFailures;
import io.rdmarpc.transport.UdTransport;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * What happens when the datagram queue pair fails: all sessions end, for what they had at the NIC is lost, the queue pair
 * is brought back where blocking is allowed, and new sessions find it working.
 *
 * <pre>
 *   UP -> (a send or receive failed) -> DOWN: nothing is posted or polled, ring entries that come back wait
 *   DOWN -> (RESET .. RTS done elsewhere) -> UP: everything is posted again
 *        -> (it failed)                   -> once more after a second
 * </pre>
 *
 * Engine thread only.
 */
public final class DatagramRecovery {

    private static final System.Logger LOG = System.getLogger(DatagramRecovery.class.getName());
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final EngineContext context;
    private final LoopFailures failures;
    private final ReceiveRingLedger ring;
    private final Consumer<String> breakAll;
    private final UdTransport ud;
    private final Transmitter transmitter;
    private final WheelTimer retry = new WheelTimer() {
        @Override
        protected void onDue(long nowNanos) {
            bringBack();
        }
    };
    private boolean down;

    /**
     * Makes one for a queue pair that works.
     *
     * @param breakAll ends all sessions, with the reason
     */
    public DatagramRecovery(
            EngineContext context,
            UdTransport ud,
            Transmitter transmitter,
            ReceiveRingLedger ring,
            Consumer<String> breakAll) {
        this.context = context;
        this.ud = ud;
        this.transmitter = transmitter;
        this.ring = ring;
        this.breakAll = breakAll;
        this.failures = context.failures();
    }

    public boolean isDown() {
        return down;
    }

    /** Looks whether the queue pair has failed since the last time. */
    public void check() {
        if (!down && ud.hasFailed()) {
            context.counters().increment(Counter.DATAGRAM_FAILURES);
            fail("the datagram queue pair of this process failed; it is being brought back");
            bringBack();
        }
    }

    /** Nothing is sent or received until {@link #bringBack} has come to its end. */
    public void fail(String reason) {
        down = true;
        transmitter.pause();
        ring.park();
        breakAll.accept(reason);
    }

    /** What was under way when the loop was stopped has come to nothing. */
    public void onResume() {
        if (down && !failures.isWaiting()) {
            bringBack();
        }
    }

    /** Posts receives again, unless the loop is stopped or the queue pair is down. */
    public void unpark() {
        if (!context.stopped().isNow() && !down) {
            ring.unpark();
        }
    }

    /** Resets the queue pair and starts it anew, elsewhere. */
    public void bringBack() {
        context.blocking().execute(() -> {
            boolean recovered = false;
            try {
                ud.recover();
                recovered = true;
            } catch (RuntimeException | Error e) {
                LOG.log(System.Logger.Level.ERROR, "the datagram queue pair could not be brought back yet", e);
            }
            context.submit(new Outcome(recovered));
        });
    }

    /** How it went, on its way back to the engine. */
    private final class Outcome extends EngineCommand {

        private final boolean recovered;

        Outcome(boolean recovered) {
            this.recovered = recovered;
        }

        @Override
        public void execute(long nowNanos) {
            if (context.stopped().isNow() || failures.isWaiting()) {
                return;
            }
            if (!recovered) {
                context.timers().arm(retry, nowNanos + RETRY_NANOS);
                return;
            }
            ud.restart();
            down = false;
            transmitter.resume();
            unpark();
            failures.restarted(nowNanos);
        }
    }
}
