package io.rdmarpc.rpc.engine;

import io.rdmarpc.concurrent.LoopOwnership;
import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.concurrent.TimerWheel;
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
 * The duty cycle of an event loop: all that an engine does, once, in three phases.
 *
 * <pre>
 *   receivePhase      commands of other threads, credit updates, packets: what other threads and peers wait for
 *   dispatchPhase     what the packets have led to: the engine's own commands, packets to send
 *   maintenancePhase  READs, timers, credits, streams, retransmissions, and memory that is released
 * </pre>
 *
 * <p>The {@link Mode} says what the thread does if a cycle finds nothing, or has brought its response. A cycle never blocks and never
 * throws. Owner of the loop only.
 */
final class DutyCycle {

    /** What the thread that runs the cycle does with its time. */
    enum Mode {
        /** It looks for packets once. */
        POLL,
        /**
         * It would only run the next cycle if there is nothing to do, so it looks for packets several times: the other steps of a
         * cycle take as long, and a packet that comes meanwhile waits.
         */
        SPIN,
        /**
         * It waits for a call, and spins. When the call has ended it continues with the response. If no other thread or peer waits for
         * the maintenance phase, that is deferred to its next cycle, when its next call is on the way.
         */
        AWAIT_CALL
    }

    /** For cycles of a thread that waits for no call. */
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
    /** The work of the cycle whose maintenance phase was deferred, 0 if none was. */
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
                _ -> receiveRing.takeBack(),
                _ -> transmitter.flush(false),
                _ -> transmitter.freeSpare());
    }

    /**
     * Runs one cycle.
     *
     * @param mode what the thread does with its time
     * @param awaited the call that it waits for in {@link Mode#AWAIT_CALL}, otherwise {@link #NO_CALL}
     * @return how much work there was, 0 when idle
     */
    int run(Mode mode, CallWaiter.Ending awaited) {
        long now = clock.nanoTime();
        try {
            return runPhases(mode, awaited, now);
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

    /** Looks for packets several times, until one or a command is there. */
    private int spin(long now) {
        int packets = 0;
        for (int looks = ud.furtherLooks(); looks > 0 && packets == 0 && commands.isEmpty(); looks--) {
            Thread.onSpinWait();
            packets = dispatcher.pollAgain(now);
        }
        return packets == 0 ? 0 : dispatchPhase(packets, now);
    }

    /**
     * If the last packet has ended the call of a caller that owns the loop, and nothing else is under way, the packets have led to nothing
     * that could not wait for the maintenance phase.
     */
    private int dispatchPhase(int packets, long now) {
        if (packets > 0 && deferred.isDeferred() && !commands.hasOwn() && !isAnythingUnderWay()) {
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
        receiveRing.takeBack();
        ud.wantReceives(creditPool.expected());
        transmitter.flush(work > 0);
        transmitter.freeSpare();
        creditPool.onCycle();
        gauges.onWork(work);
        counters.increment(Counter.LOOP_ITERATIONS);
        return work;
    }

    /** Packets that peers wait for leave before anything else is done. */
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
            recovery.bringBack();
        }
    }

    /**
     * A cycle has failed midway: each of its steps runs by itself. After several failures the engine fails its sessions and restarts. Never
     * throws, so that the thread that runs the loop lives.
     */
    private int recover(Throwable failure, long now) {
        try {
            deferredMaintenance = 0;
            if (isBeyondRepair(failure, now)) {
                recovery.fail(failures.fail(failure.toString(), now));
            }
        } catch (Throwable _) {
            // Probably there is no memory for the message: the next cycle that fails comes here again.
        }
        afterFailure.runAll(now);
        return 1;
    }

    /** A caller with little stack left proves nothing about the loop, if another thread runs the loop, too. */
    private boolean isBeyondRepair(Throwable failure, long now) {
        if (failure instanceof StackOverflowError && ownership.hasDefaultOwner() && !ownership.isOwnedByDefault()) {
            failures.caught("a caller's duty cycle, for want of stack", failure);
            return false;
        }
        return failures.cycleFailed(failure, now);
    }

    /**
     * Returns whether the next cycle must follow at once, by any thread: a packet that a thread waits for may come at any time, or
     * something waits for room.
     */
    boolean isNeededNow() {
        return !deferred.isLast() && isAnythingUnderWay();
    }

    private boolean isAnythingUnderWay() {
        return sessions.servers().size() > 0
                || transmitter.isWaiting()
                || counters.callsUnderWay() > 0
                || counters.get(Counter.STREAMS_OPEN) > 0
                || rc.readsWaiting() + rc.readsInFlight() > 0;
    }

    /** Returns whether time alone may bring work: a retransmission, a deadline. */
    boolean needsTime() {
        return !timers.isEmpty() || cancellations.isNeeded() || transmitter.isWaiting() || failures.isWaiting();
    }
}
