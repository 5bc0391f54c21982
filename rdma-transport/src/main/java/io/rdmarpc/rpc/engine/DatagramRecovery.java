package io.rdmarpc.rpc.engine;

import io.rdmarpc.concurrent.WheelTimer;
import io.rdmarpc.rpc.engine.EngineCounters.Counter;
import io.rdmarpc.transport.UdTransport;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

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
final class DatagramRecovery {

    private static final System.Logger LOG = System.getLogger(DatagramRecovery.class.getName());
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final EventLoop loop;
    private final UdTransport ud;
    private final Transmitter transmitter;
    private final Executor blocking;
    private final EngineCounters counters;
    private final WheelTimer retry = new WheelTimer() {
        @Override
        protected void onDue(long nowNanos) {
            bringBack();
        }
    };
    private boolean down;

    DatagramRecovery(
            EventLoop loop, UdTransport ud, Transmitter transmitter, Executor blocking, EngineCounters counters) {
        this.loop = loop;
        this.ud = ud;
        this.transmitter = transmitter;
        this.blocking = blocking;
        this.counters = counters;
    }

    boolean isDown() {
        return down;
    }

    /** Looks whether the queue pair has failed since the last time. */
    void check() {
        if (!down && ud.hasFailed()) {
            counters.increment(Counter.DATAGRAM_FAILURES);
            fail("the datagram queue pair of this process failed; it is being brought back");
            bringBack();
        }
    }

    /** Nothing is sent or received until {@link #bringBack} has come to its end. */
    void fail(String reason) {
        down = true;
        transmitter.hold();
        loop.receiveRing().park();
        loop.sessions().breakAll(reason);
    }

    /** What was under way when the loop was stopped has come to nothing. */
    void onResume() {
        if (down && !loop.failures().isWaiting()) {
            bringBack();
        }
    }

    /** Resets the queue pair and starts it anew, elsewhere. */
    void bringBack() {
        blocking.execute(() -> {
            boolean recovered = false;
            try {
                ud.recover();
                recovered = true;
            } catch (RuntimeException | Error e) {
                LOG.log(System.Logger.Level.ERROR, "the datagram queue pair could not be brought back yet", e);
            }
            loop.submit(new Outcome(recovered));
        });
    }

    /** How it went, on its way back to the engine. */
    private final class Outcome extends EngineCommand {

        private final boolean recovered;

        Outcome(boolean recovered) {
            this.recovered = recovered;
        }

        @Override
        void execute(long nowNanos) {
            if (loop.isStopped() || loop.failures().isWaiting()) {
                return;
            }
            if (!recovered) {
                loop.timers().arm(retry, nowNanos + RETRY_NANOS);
                return;
            }
            ud.restart();
            down = false;
            transmitter.goOn();
            loop.unparkReceiveRing();
            loop.failures().restarted(nowNanos);
        }
    }
}
