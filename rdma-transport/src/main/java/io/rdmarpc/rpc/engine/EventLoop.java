package io.rdmarpc.rpc.engine;

import io.rdmarpc.concurrent.LoopSeat;
import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.concurrent.TimerWheel;
import io.rdmarpc.rpc.RpcConfig;
import io.rdmarpc.rpc.engine.EngineCounters.Counter;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdTransport;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One engine: owns a UD transport, the READs of its RC connections, its sessions. A single thread turns it; other
 * threads put commands into its inbox. {@link #doWork} is the list of its phases.
 */
public final class EventLoop {

    private final EngineContext context;
    private final UdTransport ud;
    private final RcTransport rc;
    private final NanoClock clock;
    private final EngineCounters counters;
    private final LoopFailures failures;
    private final CommandQueue commands;
    private final LoopSeat seat;
    private final Transmitter transmitter;
    private final ReceiveRingLedger receiveRing;
    private final CreditPool creditPool;
    private final LargeTransfers transfers;
    private final ServerRequests serverRequests;
    private final PacketDispatcher dispatcher;
    private final BlockedCallers callers;
    private final Streams streams;
    private final CancellationWatch cancellations = new CancellationWatch();
    private final TimerWheel timers;
    private final Sessions sessions;
    private final DatagramRecovery recovery;
    private final LoopGauges gauges;
    private final OwedEnd owedEnd;
    private final StoppedLoop stopped;
    private final TurnPhases phases;
    private final StoppedLoop.Work endOfSessions = new EndOfSessions();
    /** What the first half of a turn had to do whose second half was put off, else 0. */
    private int owedWork;

    /**
     * Puts an engine together; nothing runs until {@link #doWork} is called.
     *
     * @param parts what it works with
     * @param config windows and time-outs
     * @param clock its time
     * @param blocking runs what may block: registration of memory
     * @param wakeUp wakes the thread that turns the loop; called by any thread after a command was queued
     */
    public EventLoop(EngineParts parts, RpcConfig config, NanoClock clock, Executor blocking, Runnable wakeUp) {
        this.context = new EngineContext(config, clock, blocking, wakeUp);
        this.ud = parts.ud();
        this.rc = parts.rc();
        this.clock = clock;
        this.counters = context.counters();
        this.failures = context.failures();
        this.commands = context.commands();
        this.seat = context.seat();
        this.timers = context.timers();
        this.stopped = context.stopped();
        this.callers = new BlockedCallers(this, seat, parts.methods());
        this.transmitter = new Transmitter(
                ud, parts.slab(), clock, blocking, counters, config.traffic().bundling());
        this.receiveRing = new ReceiveRingLedger(ud);
        this.creditPool = new CreditPool(ud.receiveDepth());
        LoadShedding shedding = new LoadShedding(config.load(), counters);
        this.transfers = new LargeTransfers(context, rc, parts.arena(), shedding);
        this.streams = new Streams(context, transmitter, transfers, receiveRing, creditPool);
        ClientRequests clientRequests = new ClientRequests(context, transmitter, creditPool);
        this.owedEnd = clientRequests.owed();
        PacketPosition position = new PacketPosition();
        ServerResponses serverResponses = new ServerResponses(context, transmitter, position);
        this.serverRequests = new ServerRequests(
                new ServerParts(context, serverResponses, shedding, streams, cancellations, receiveRing),
                parts.methods(),
                transfers);
        this.sessions = new Sessions(
                context,
                new ClientParts(parts.slab(), transmitter, creditPool, receiveRing, streams, clientRequests, callers),
                serverResponses,
                clientRequests.endings(),
                transfers,
                new ClosingSessions(timers, transfers, transmitter));
        this.dispatcher = new PacketDispatcher(
                ud,
                receiveRing,
                sessions.clients(),
                sessions.servers(),
                new ClientResponses(context, clientRequests, transfers, receiveRing),
                serverRequests,
                streams,
                new BundleEnd(commands, transmitter, transfers, clock),
                counters,
                failures,
                position);
        this.gauges = new LoopGauges(counters, sessions, rc, transfers, creditPool, timers, clock);
        this.recovery = new DatagramRecovery(context, ud, transmitter, receiveRing, sessions::breakAll);
        this.phases = new TurnPhases(
                _ -> owedEnd.settle(),
                commands::run,
                _ -> lookAtSends(),
                now -> takePackets(now),
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
     * One turn of the engine; only its own thread may call it. Never blocks, never throws.
     *
     * @return how much there was to do, 0 when idle
     */
    public int doWork() {
        long now = clock.nanoTime();
        try {
            return attend(now, answer(now));
        } catch (Throwable e) {
            return afterFailure(e, now);
        }
    }

    /**
     * Likewise, for a thread that would only turn it again when there is nothing to do: it looks for packets some more times first.
     * All that a turn does besides takes as long, and a packet that comes meanwhile waits.
     *
     * @return how much there was to do, 0 when idle
     */
    public int doWorkOrWait() {
        long now = clock.nanoTime();
        try {
            return attend(now, answerOrWait(now));
        } catch (Throwable e) {
            return afterFailure(e, now);
        }
    }

    /**
     * Likewise, for a caller who waits: once its call has ended it goes on, and the second half of the turn, in which nothing
     * of anybody else's waits, is the first thing of the next one, when its next call is on the way.
     */
    int doWorkFor(CallWaiter.Ending call) {
        long now = clock.nanoTime();
        try {
            return workFor(call, now);
        } catch (Throwable e) {
            return afterFailure(e, now);
        }
    }

    private int workFor(CallWaiter.Ending call, long now) {
        if (owedWork > 0) {
            attend(now, owedWork);
        }
        int work = answerOrWait(now);
        if (work > 0 && call.hasEnded() && (owedEnd.isOnlyWork() || !isNeededAtOnce())) {
            owedWork = work;
            return work;
        }
        return attend(now, work);
    }

    /**
     * A turn has failed on the way: each of its phases runs by itself. After too many of them the engine gives its sessions up.
     * Never throws, so that the thread that turns the loop lives.
     */
    private int afterFailure(Throwable failure, long now) {
        try {
            owedWork = 0;
            owedEnd.onlyWork(false);
            if (isBeyondRepair(failure, now)) {
                recovery.fail(failures.fail(failure.toString(), now));
            }
        } catch (Throwable _) {
            // No memory for the words, most likely: the next turn that fails comes here again.
        }
        phases.runAll(now);
        return 1;
    }

    /** A caller that turns the loop with little stack left says nothing about the loop, where another thread turns it, too. */
    private boolean isBeyondRepair(Throwable failure, long now) {
        if (failure instanceof StackOverflowError && seat.hasResident() && !seat.isResidentSeated()) {
            failures.caught("a caller's turn, for want of stack", failure);
            return false;
        }
        return failures.turnFailed(failure, now);
    }

    /**
     * Gives up an engine that cannot go on, such as one whose thread has died: its sessions end with the reason, and it starts
     * anew. Any thread; without effect while another one turns the loop.
     *
     * @param reason why, in words for callers
     */
    public void giveUp(String reason) {
        if (seat.isMine() || !seat.tryTake()) {
            return;
        }
        try {
            if (failures.problem() == null && !stopped.isNow()) {
                recovery.fail(failures.fail(reason, clock.nanoTime()));
            }
        } finally {
            seat.leave();
        }
    }

    /**
     * Says why the engine does not work. Any thread.
     *
     * @return words, null while it works
     */
    public @Nullable String problem() {
        return failures.problem();
    }

    /**
     * Counts how often the engine was started anew after a failure. Any thread.
     *
     * @return how often
     */
    public int restarts() {
        return failures.restarts();
    }

    LoopFailures failures() {
        return failures;
    }

    /** The first half of a turn: what others wait for. */
    private int answer(long now) {
        gauges.onTurn(now);
        owedEnd.settle();
        int work = commands.run(now);
        sendIf(work > 0);
        if (recovery.isDown()) {
            restartIfDue(now);
        } else {
            work += ud.pollSends();
            work += serverRequests.tellRaises();
            work += follow(dispatcher.poll(now), now);
        }
        return work;
    }

    private void restartIfDue(long now) {
        if (failures.takeRestart(now)) {
            recovery.bringBack();
        }
    }

    private void lookAtSends() {
        if (!recovery.isDown()) {
            ud.pollSends();
        }
    }

    private void takePackets(long now) {
        if (recovery.isDown()) {
            restartIfDue(now);
        } else {
            int _ = dispatcher.poll(now);
        }
    }

    private int answerOrWait(long now) {
        int work = answer(now);
        return work > 0 || recovery.isDown() ? work : lookAgain(now);
    }

    /** Until a packet or a command is there. */
    private int lookAgain(long now) {
        int packets = 0;
        for (int looks = ud.furtherLooks(); looks > 0 && packets == 0 && commands.isEmpty(); looks--) {
            Thread.onSpinWait();
            packets = dispatcher.pollAgain(now);
        }
        return packets == 0 ? 0 : follow(packets, now);
    }

    /**
     * Does what packets have led to. Where the last one has ended the call of a caller who turns the loop, and nothing else is
     * under way, they have led to nothing that could not wait for the second half.
     */
    private int follow(int packets, long now) {
        owedEnd.onlyWork(packets > 0 && owedEnd.isOwed() && !commands.hasOwn() && !isNeededAtOnce());
        if (owedEnd.isOnlyWork()) {
            return packets;
        }
        recovery.check();
        int work = packets + commands.runOwn(now);
        sendIf(packets > 0);
        return work;
    }

    /** The second half: READs, what is due, and what is given back. */
    private int attend(long now, int before) {
        owedWork = 0;
        owedEnd.onlyWork(false);
        owedEnd.settle();
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
        creditPool.onTurn();
        gauges.onWork(work);
        counters.increment(Counter.LOOP_ITERATIONS);
        return work;
    }

    /** What somebody waits for leaves before anything else is looked at. */
    private void sendIf(boolean hasWork) {
        if (hasWork) {
            transmitter.send();
        }
    }

    /**
     * Turns the loop once, unless another thread does. For whoever has no polling thread and turns it now and then.
     *
     * @return how much there was to do, 0 when idle or when another thread turns it
     */
    public int turn() {
        if (seat.isMine() || !seat.tryTake()) {
            return 0;
        }
        try {
            return doWork();
        } finally {
            seat.leave();
        }
    }

    /**
     * Returns who turns the loop: a thread calls {@link #doWork}, {@link #arm} and {@link #needsTime} while it holds it.
     *
     * @return the seat
     */
    public LoopSeat seat() {
        return seat;
    }

    /**
     * Says for how long callers that wait turn the loop for nothing before they leave it to the polling thread.
     *
     * @param idleTurns turns without work, {@link Integer#MAX_VALUE} to spin until their call has ended
     */
    public void callersPatience(int idleTurns) {
        callers.patience(idleTurns);
    }

    /**
     * Returns the sessions of this engine.
     *
     * @return how sessions come and go
     */
    public Sessions sessions() {
        return sessions;
    }

    BlockedCallers callers() {
        return callers;
    }

    /** Wakes the thread that turns the loop when no other one does. Any thread. */
    public void wakeUp() {
        context.wakeUp();
    }

    /**
     * Tells whether packets may come at any time that somebody waits for, or something waits for room: the loop must be
     * turned on at once. Holder of the seat.
     */
    boolean isNeededAtOnce() {
        return sessions.servers().size() > 0
                || transmitter.isWaiting()
                || counters.callsUnderWay() > 0
                || counters.get(Counter.STREAMS_OPEN) > 0
                || rc.readsWaiting() + rc.readsInFlight() > 0;
    }

    /** Likewise, for whoever has turned it by {@link #doWorkFor} and looks whether somebody has to go on at once. */
    boolean isLeftAtOnce() {
        return !owedEnd.isOnlyWork() && isNeededAtOnce();
    }

    /**
     * Asks for an event on the NIC's channel when a turn would find a completion. Another turn must come before waiting
     * for it. Only the engine's thread may call it.
     *
     * @return 0 or an error number
     */
    public int arm() {
        int errno = recovery.isDown() ? 0 : ud.arm();
        return errno != 0 ? errno : rc.arm();
    }

    /**
     * Tells whether time alone may bring work: a retransmission, a deadline. Only the engine's thread may call it.
     *
     * @return false when only packets and commands can
     */
    public boolean needsTime() {
        return !timers.isEmpty() || cancellations.isNeeded() || transmitter.isWaiting() || failures.isWaiting();
    }

    /**
     * Tells whether a command is waiting.
     *
     * @return true when {@link #doWork} would find one
     */
    public boolean hasCommands() {
        return !commands.isEmpty();
    }

    /**
     * Ends all sessions after the loop has stopped and all connections are closed. From now on commands are executed by
     * the threads that submit them, so that no call waits for a loop that nobody turns; the NIC is not touched any more.
     *
     * @param reason why, in words for callers
     */
    public void shutDown(String reason) {
        stopped.begin(reason, endOfSessions);
    }

    /** What a stopped loop does once more. */
    private final class EndOfSessions implements StoppedLoop.Work {

        @Override
        public void onStop() {
            receiveRing.park();
        }

        @Override
        public List<Runnable> before() {
            return List.of(owedEnd::settle);
        }

        @Override
        public List<Runnable> end(String why, long nowNanos) {
            return List.of(() -> sessions.endAll(why, nowNanos), rc::endAll);
        }

        @Override
        public List<Runnable> after() {
            return List.of(sessions::letAllGo, transmitter::freeSpare);
        }

        @Override
        public void onResume() {
            gauges.onResume();
            recovery.unpark();
        }
    }

    /** Takes {@link #shutDown} back, before the loop is turned again. */
    public void resume() {
        stopped.end(endOfSessions);
        recovery.onResume();
    }

    /**
     * Returns how busy the engine is and what it has counted.
     *
     * @return for any thread
     */
    public LoopGauges gauges() {
        return gauges;
    }

    /** What its parts share, for tests. */
    EngineContext context() {
        return context;
    }

    CreditPool creditPool() {
        return creditPool;
    }

    TimerWheel timers() {
        return timers;
    }

    OwedEnd owedEnd() {
        return owedEnd;
    }
}
