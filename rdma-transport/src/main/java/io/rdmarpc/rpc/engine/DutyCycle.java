package io.rdmarpc.rpc.engine;

import io.rdmarpc.concurrent.LoopOwnership;
import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.concurrent.TimerWheel;
import io.rdmarpc.events.EventLoopStallEvent;
import io.rdmarpc.rpc.engine.client.CallWaiter;
import io.rdmarpc.rpc.engine.client.DeferredCompletion;
import io.rdmarpc.rpc.engine.context.CommandQueue;
import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.engine.context.EngineCounters;
import io.rdmarpc.rpc.engine.context.EngineCounters.Counter;
import io.rdmarpc.rpc.engine.context.LoopFailures;
import io.rdmarpc.rpc.engine.packet.CreditPool;
import io.rdmarpc.rpc.engine.packet.DatagramRecovery;
import io.rdmarpc.rpc.engine.packet.ReceiveRingLedger;
import io.rdmarpc.rpc.engine.packet.Transmitter;
import io.rdmarpc.rpc.engine.server.CancellationWatch;
import io.rdmarpc.rpc.engine.server.ServerRequests;
import io.rdmarpc.rpc.engine.stream.Streams;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdTransport;

/**
 * The duty cycle of an event loop. One cycle does all work of an engine once, in three phases.
 *
 * <pre>
 *   receivePhase      commands of other threads, credit updates, packets
 *   dispatchPhase     work caused by the packets: the engine's own commands, packets to send
 *   maintenancePhase  READs, timers, credits, streams, retransmissions, release of memory
 * </pre>
 *
 * <p>The {@link Mode} selects what the thread does after a cycle without work, or after its response has arrived. A
 * cycle never blocks and never throws. Owner of the loop only.
 */
final class DutyCycle {

    /** How the thread that runs the cycle waits for packets. */
    enum Mode {
        /** Polls for packets once. */
        POLL,
        /**
         * Polls for packets several times, for a thread that would only run the next cycle. The other steps of a cycle
         * take as long, and a packet that arrives during them would wait.
         */
        SPIN,
        /**
         * Spins for a thread that waits for a call. When the call has ended, the thread continues with the response. If
         * no other thread or peer waits for the maintenance phase, that phase is deferred. It then runs in the thread's
         * next cycle, after its next call was sent.
         */
        AWAIT_CALL
    }

    /** The value for cycles of a thread that waits for no call. */
    static final CallWaiter.Ending NO_CALL = () -> false;

    private final NanoClock clock;
    private final TimerWheel timers;
    private final EngineCounters counters;
    private final LoopFailures failures;
    private final LoopOwnership ownership;
    private final CommandQueue commands;
    private final UdTransport ud;
    private final RcTransport rc;
    private final Transmitter transmitter;
    private final ReceiveRingLedger receiveRing;
    private final CreditPool creditPool;
    private final ServerRequests serverRequests;
    private final PacketDispatcher dispatcher;
    private final CancellationWatch cancellations;
    private final Streams streams;
    private final Sessions sessions;
    private final DatagramRecovery recovery;
    private final LoopGauges gauges;
    private final DeferredCompletion deferred;
    private final IsolatedPhases afterFailure;
    private final EventLoopStallEvent stall = new EventLoopStallEvent();
    /** The amount of work of the cycle whose maintenance phase was deferred, 0 without one. */
    private int deferredMaintenance;

    DutyCycle(
            EngineContext context,
            EngineParts parts,
            Transmitter transmitter,
            ReceiveRingLedger receiveRing,
            CreditPool creditPool,
            ServerRequests serverRequests,
            PacketDispatcher dispatcher,
            CancellationWatch cancellations,
            Streams streams,
            Sessions sessions,
            DatagramRecovery recovery,
            LoopGauges gauges,
            DeferredCompletion deferred) {
        this.clock = context.clock();
        this.timers = context.timers();
        this.counters = context.counters();
        this.failures = context.failures();
        this.ownership = context.ownership();
        this.commands = context.commands();
        this.ud = parts.ud();
        this.rc = parts.rc();
        this.transmitter = transmitter;
        this.receiveRing = receiveRing;
        this.creditPool = creditPool;
        this.serverRequests = serverRequests;
        this.dispatcher = dispatcher;
        this.cancellations = cancellations;
        this.streams = streams;
        this.sessions = sessions;
        this.recovery = recovery;
        this.gauges = gauges;
        this.deferred = deferred;
        this.afterFailure = new IsolatedPhases(
                _ -> deferred.complete(),
                commands::run,
                _ -> pollSends(),
                this::pollPackets,
                _ -> recovery.check(),
                _ -> rc.poll(),
                _ -> rc.postReads(),
                timers::advance,
                creditPool::serveWaiting,
                cancellations::run,
                _ -> streams.flush(),
                _ -> transmitter.advance(),
                _ -> receiveRing.collectReturned(),
                _ -> transmitter.flush(false),
                _ -> transmitter.freeSpare());
    }

    /**
     * Runs one cycle.
     *
     * @param mode how the thread uses its time
     * @param awaited the call that it waits for in {@link Mode#AWAIT_CALL}, otherwise {@link #NO_CALL}
     * @return amount of work, 0 if idle
     */
    int run(Mode mode, CallWaiter.Ending awaited) {
        long now = clock.nanoTime();
        boolean recorded = stall.isEnabled();
        if (recorded) {
            stall.begin();
        }
        try {
            int work = runPhases(mode, awaited, now);
            if (recorded && work > 0) {
                stall.end(work);
            }
            return work;
        } catch (Throwable e) {
            return recover(e, now);
        }
    }

    private int runPhases(Mode mode, CallWaiter.Ending awaited, long now) {
        boolean awaits = mode == Mode.AWAIT_CALL;
        if (awaits && deferredMaintenance > 0) {
            int _ = maintenancePhase(now, deferredMaintenance);
        }
        int work = receivePhase(now);
        if (work == 0 && mode != Mode.POLL && !recovery.isDown()) {
            work = spin(now);
        }
        if (awaits && work > 0 && awaited.hasEnded() && !isNeededNow()) {
            deferredMaintenance = work;
            return work;
        }
        return maintenancePhase(now, work);
    }

    private int receivePhase(long now) {
        gauges.onCycle(now);
        deferred.complete();
        int work = commands.run(now);
        sendIf(work > 0);
        if (recovery.isDown()) {
            restartIfDue(now);
            return work;
        }
        work += ud.pollSends();
        work += serverRequests.sendPendingCreditUpdates();
        return work + dispatchPhase(dispatcher.poll(now), now);
    }

    /** Polls for packets several times, until a packet or a command arrives. */
    private int spin(long now) {
        int packets = 0;
        for (int polls = ud.furtherPolls(); polls > 0 && packets == 0 && commands.isEmpty(); polls--) {
            Thread.onSpinWait();
            packets = dispatcher.pollAgain(now);
        }
        return packets == 0 ? 0 : dispatchPhase(packets, now);
    }

    /**
     * Completes the work that the packets have caused. No such work remains if the last packet has ended the call of a
     * caller that owns the loop, and nothing further is in progress.
     */
    private int dispatchPhase(int packets, long now) {
        if (packets > 0 && deferred.isDeferred() && !commands.hasOwn() && !isAnythingInProgress()) {
            deferred.markLast();
            return packets;
        }
        recovery.check();
        int work = packets + runOwnCommands(now);
        sendIf(packets > 0);
        return work;
    }

    private int runOwnCommands(long now) {
        if (!commands.hasOwn()) {
            return 0;
        }
        deferred.complete();
        return commands.runOwn(now);
    }

    private int maintenancePhase(long now, int before) {
        deferredMaintenance = 0;
        deferred.complete();
        int work = before;
        work += rc.poll();
        work += rc.postReads();
        work += timers.advance(now);
        work += creditPool.serveWaiting(now);
        work += cancellations.run(now);
        work += streams.flush();
        work += transmitter.advance();
        receiveRing.collectReturned();
        ud.wantReceives(creditPool.expected());
        transmitter.flush(work > 0);
        transmitter.freeSpare();
        creditPool.onCycle();
        gauges.onWork(work);
        counters.increment(Counter.LOOP_ITERATIONS);
        return work;
    }

    /** Sends packets first, because peers wait for them. */
    private void sendIf(boolean hasWork) {
        if (hasWork) {
            transmitter.send();
        }
    }

    private void pollSends() {
        if (!recovery.isDown()) {
            ud.pollSends();
        }
    }

    private void pollPackets(long now) {
        if (recovery.isDown()) {
            restartIfDue(now);
        } else {
            int _ = dispatcher.poll(now);
        }
    }

    private void restartIfDue(long now) {
        if (failures.takeRestart(now)) {
            recovery.reset();
        }
    }

    /**
     * Runs each step of a cycle by itself after the cycle has failed. After several failures the engine fails its
     * sessions and restarts. Never throws, so that the thread that runs the loop survives.
     */
    private int recover(Throwable failure, long now) {
        try {
            deferredMaintenance = 0;
            if (hasFailedTooOften(failure, now)) {
                recovery.fail(failures.fail(failure.toString(), now));
            }
        } catch (Throwable _) {
            // There is probably no memory for the message. The next failing cycle tries again.
        }
        afterFailure.runAll(now);
        return 1;
    }

    /**
     * Returns whether the engine has failed too often. A stack overflow on a caller's thread is not counted if a
     * polling thread also runs the loop, because that caller's stack may be small.
     */
    private boolean hasFailedTooOften(Throwable failure, long now) {
        if (failure instanceof StackOverflowError && ownership.hasDefaultOwner() && !ownership.isOwnedByDefault()) {
            failures.caught("a caller's duty cycle, because of a small stack", failure);
            return false;
        }
        return failures.cycleFailed(failure, now);
    }

    /**
     * Returns whether a thread must run the next cycle at once. A packet that a thread waits for may arrive at any
     * time, or a packet may wait for room.
     */
    boolean isNeededNow() {
        return !deferred.isLast() && isAnythingInProgress();
    }

    private boolean isAnythingInProgress() {
        return sessions.servers().size() > 0
                || transmitter.isWaiting()
                || counters.callsInProgress() > 0
                || counters.get(Counter.STREAMS_OPEN) > 0
                || rc.readsWaiting() + rc.readsInFlight() > 0;
    }

    /** Returns whether work was deferred to the next cycle, by {@link Mode#AWAIT_CALL}. */
    boolean hasDeferredWork() {
        return deferredMaintenance > 0 || deferred.isDeferred();
    }

    /** Returns whether the passage of time alone may cause work: a retransmission, a deadline. */
    boolean needsTime() {
        return !timers.isEmpty() || needsChecks();
    }

    /**
     * Returns whether a thread must check for work at short intervals. While no call, stream or READ is in progress,
     * timers alone need no such checks: they return the credits of idle sessions, which may be a quarter of a second
     * late.
     */
    boolean needsChecks() {
        return cancellations.isNeeded() || transmitter.isWaiting() || failures.isWaiting();
    }
}
