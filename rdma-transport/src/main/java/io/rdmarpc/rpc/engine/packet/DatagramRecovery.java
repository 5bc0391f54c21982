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
 * Recovers from a failure of the datagram queue pair. All sessions end, because the packets that they had at the NIC
 * are lost. Another thread, which may block, resets the queue pair. New sessions then use it again.
 *
 * <pre>
 *   UP -> (a send or receive failed) -> DOWN: no post, no poll; returned ring entries wait
 *   DOWN -> (RESET to RTS on another thread) -> UP: everything is posted again
 *        -> (that failed)                 -> retry after a second
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
    private final Consumer<String> failAll;
    private final UdTransport ud;
    private final Transmitter transmitter;
    private final WheelTimer retry = new WheelTimer() {
        @Override
        protected void onDue(long nowNanos) {
            reset();
        }
    };
    private boolean down;

    /**
     * Creates the recovery for a working queue pair.
     *
     * @param failAll ends all sessions; its argument is the reason
     */
    public DatagramRecovery(
            EngineContext context,
            UdTransport ud,
            Transmitter transmitter,
            ReceiveRingLedger ring,
            Consumer<String> failAll) {
        this.context = context;
        this.ud = ud;
        this.transmitter = transmitter;
        this.ring = ring;
        this.failAll = failAll;
        this.failures = context.failures();
    }

    public boolean isDown() {
        return down;
    }

    /** Checks whether the queue pair has failed since the last call. */
    public void check() {
        if (!down && ud.hasFailed()) {
            context.counters().increment(Counter.DATAGRAM_FAILURES);
            fail("the datagram queue pair of this process failed and is being reset; connect again");
            reset();
        }
    }

    /** Stops sending and receiving until {@link #reset} has finished. */
    public void fail(String reason) {
        down = true;
        transmitter.pause();
        ring.park();
        failAll.accept(reason);
    }

    /** Restarts a recovery that was in progress when the loop was stopped, because its result was lost. */
    public void onResume() {
        if (down && !failures.isWaiting()) {
            reset();
        }
    }

    /** Posts receives again, unless the loop is stopped or the queue pair is down. */
    public void unpark() {
        if (!context.stopped().isNow() && !down) {
            ring.unpark();
        }
    }

    /** Resets and restarts the queue pair on another thread. */
    public void reset() {
        context.blocking().execute(() -> {
            boolean recovered = false;
            try {
                ud.recover();
                recovered = true;
            } catch (RuntimeException | Error e) {
                LOG.log(System.Logger.Level.ERROR, "Cannot reset the datagram queue pair; retrying in 1 s", e);
            }
            context.submit(new Outcome(recovered));
        });
    }

    /** The result of a reset, which is passed to the engine thread. */
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
