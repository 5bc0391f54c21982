package io.rdmarpc.rpc.engine;

import io.rdmarpc.concurrent.LoopSeat;
import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.concurrent.TimerWheel;
import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.memory.SlabPool;
import io.rdmarpc.rpc.RpcConfig;
import io.rdmarpc.rpc.engine.EngineCounters.Counter;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdTransport;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One engine: owns a UD transport, the READs of its RC connections, its sessions. A single thread turns it; other
 * threads put commands into its inbox. {@link #doWork} is the list of its phases.
 */
public final class EventLoop {

    /** 131 us: shorter than any time-out, so that it does not matter. */
    private static final int TICK_SHIFT = 17;
    /** 268 ms in a round, longer than the longest pause between two sends. */
    private static final int WHEEL_BUCKETS = 2048;

    private final UdTransport ud;
    private final RcTransport rc;
    private final SlabPool slab;
    private final MethodTable methods;
    private final RpcConfig config;
    private final NanoClock clock;
    private final Executor blocking;
    private final Runnable wakeUp;
    private final EngineCounters counters = new EngineCounters();
    private final LoopFailures failures = new LoopFailures(counters);
    private final CommandQueue commands = new CommandQueue(failures);
    private final Transmitter transmitter;
    private final ReceiveRingLedger receiveRing;
    private final CreditPool creditPool;
    private final LargeTransfers transfers;
    private final ClientRequests clientRequests;
    private final ServerRequests serverRequests;
    private final ServerResponses serverResponses;
    private final PacketDispatcher dispatcher;
    private final LoopSeat seat = new LoopSeat();
    private final BlockedCallers callers = new BlockedCallers(this, seat);
    private final LoadShedding shedding;
    private final Streams streams;
    private final CancellationWatch cancellations = new CancellationWatch();
    private final TimerWheel timers;
    private final Sessions sessions;
    private final DatagramRecovery recovery;
    private final LoopGauges gauges;
    private final OwedEnd owedEnd;
    private final StoppedLoop stopped;
    private final TurnPhases phases;
    /** What the first half of a turn had to do whose second half was put off, else 0. */
    private int owedWork;
    /** Nothing but the second half, and the end of a call whose caller has its answer, is left to do. */
    private boolean owesAll;

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
        this.ud = parts.ud();
        this.rc = parts.rc();
        this.slab = parts.slab();
        this.methods = parts.methods();
        this.config = config;
        this.clock = clock;
        this.blocking = blocking;
        this.wakeUp = wakeUp;
        this.transmitter = new Transmitter(
                ud, slab, clock, blocking, counters, config.traffic().bundling());
        this.timers = new TimerWheel(TICK_SHIFT, WHEEL_BUCKETS, clock.nanoTime(), this::timerThrew);
        this.receiveRing = new ReceiveRingLedger(ud);
        this.creditPool = new CreditPool(ud.receiveDepth());
        this.shedding = new LoadShedding(config.load(), counters);
        this.transfers = new LargeTransfers(this, rc, parts.arena(), counters, shedding);
        this.clientRequests = new ClientRequests(this, transmitter, counters);
        this.owedEnd = clientRequests.owed();
        this.serverResponses = new ServerResponses(this, transmitter, counters);
        this.streams = new Streams(this, transmitter, transfers, counters);
        this.serverRequests = new ServerRequests(this, methods, serverResponses, transfers, shedding, counters);
        this.sessions = new Sessions(
                this,
                transfers,
                clientRequests,
                serverResponses,
                streams,
                new ClosingSessions(timers, transfers, transmitter));
        this.dispatcher = new PacketDispatcher(
                ud,
                receiveRing,
                sessions.clients(),
                sessions.servers(),
                new ClientResponses(this, clientRequests, transfers, counters),
                serverRequests,
                streams,
                new BundleEnd(commands, transmitter, transfers, clock),
                counters,
                failures);
        this.stopped = new StoppedLoop(this, commands, sessions, rc);
        this.gauges = new LoopGauges(counters, sessions, rc, transfers, creditPool, timers, clock);
        this.recovery = new DatagramRecovery(this, ud, transmitter, blocking, counters);
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
    int doWorkFor(BlockedCallers.Ending call) {
        long now = clock.nanoTime();
        try {
            return workFor(call, now);
        } catch (Throwable e) {
            return afterFailure(e, now);
        }
    }

    private int workFor(BlockedCallers.Ending call, long now) {
        if (owedWork > 0) {
            attend(now, owedWork);
        }
        int work = answerOrWait(now);
        if (work > 0 && call.hasEnded() && (owesAll || !isNeededAtOnce())) {
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
            owesAll = false;
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
            if (failures.problem() == null && !isStopped()) {
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
        owesAll = packets > 0 && owedEnd.isOwed() && !commands.hasOwn() && !isNeededAtOnce();
        if (owesAll) {
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
        owesAll = false;
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

    /** Tells whether this thread turns the loop, so that it must not block. */
    boolean isTurnedHere() {
        return seat.isMine();
    }

    /**
     * Tells whether a thread of a user may wait here for the end of its call: not one that turns the loop already, and no
     * platform thread, which would turn it, where methods are served. Those would run on that thread or be handed over from it,
     * in the midst of whatever its user does there.
     */
    boolean mayBeWaitedForHere() {
        return (methods.isEmpty() || Thread.currentThread().isVirtual()) && !isTurnedHere();
    }

    /** Runs what may block, elsewhere. Any thread. */
    void runBlocking(Runnable step) {
        try {
            blocking.execute(step);
        } catch (RejectedExecutionException e) {
            // The runtime is closed: nobody else runs it, and nobody is held up.
            step.run();
        }
    }

    BlockedCallers callers() {
        return callers;
    }

    /** Memory for a message that fits a packet, null when there is none now. Holder of the seat. */
    @Nullable
    RegisteredBlock tryTakeBlock() {
        return transmitter.tryTakeFree();
    }

    /** Nobody turns the loop any more, before its sessions end. */
    void settleOwedEnd() {
        owedEnd.settle();
    }

    /** Nobody turns the loop any more. */
    void freeSpareBlock() {
        transmitter.freeSpare();
    }

    /** Wakes the thread that turns the loop when no other one does. Any thread. */
    public void wakeUp() {
        wakeUp.run();
    }

    /**
     * Starts the call of a caller who will turn the loop until it has ended, behind commands that wait, without a way through the
     * inbox. Holder of the seat, between turns.
     */
    void startNow(Call call) {
        owesAll = false;
        if (commands.isEmpty() && startsAtOnce(call)) {
            return;
        }
        owedEnd.settle();
        commands.runLast(call, call.beginBy(clock));
        transmitter.send();
    }

    private boolean startsAtOnce(Call call) {
        try {
            return clientRequests.startAtOnce(call);
        } catch (Throwable e) {
            clientRequests.endings().failedToStart(call, e, false);
            commands.failed(e);
            return true;
        }
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
        return !owesAll && isNeededAtOnce();
    }

    private void timerThrew(Throwable failure) {
        failures.caught("a timer, which comes again", failure);
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

    /** The thread that turns the loop needs not be woken, and what it adds needs no way between threads. */
    void submit(EngineCommand command) {
        if (seat.isMine()) {
            commands.offerOwn(command);
            return;
        }
        commands.offer(command);
        wakeUp.run();
        if (stopped.isNow()) {
            stopped.execute();
        }
    }

    /**
     * A call has its answer. One that was given where the call's packet was taken leaves before anything else is done, unless
     * others wait that can share its packet.
     */
    void onAnswered(IncomingCall call) {
        if (seat.isMine() && dispatcher.isAtEnd() && !commands.hasOwn()) {
            commands.execute(call, dispatcher.nowNanos());
        } else {
            submit(call);
        }
    }

    /** Tells whether the message that is being taken is the last one there is: its answer waits for no other. */
    boolean isAtEnd() {
        return dispatcher.isAtEnd();
    }

    void submit(LongConsumer action) {
        submit(new EngineCommand() {
            @Override
            void execute(long nowNanos) {
                action.accept(nowNanos);
            }
        });
    }

    /**
     * Ends all sessions after the loop has stopped and all connections are closed. From now on commands are executed by
     * the threads that submit them, so that no call waits for a loop that nobody turns; the NIC is not touched any more.
     *
     * @param reason why, in words for callers
     */
    public void shutDown(String reason) {
        stopped.begin(reason);
    }

    /** Takes {@link #shutDown} back, before the loop is turned again. */
    public void resume() {
        stopped.end();
        recovery.onResume();
    }

    /** Somebody will turn it from now on. */
    void onResume() {
        gauges.onResume();
        unparkReceiveRing();
    }

    /** Tells whether users are to be told {@linkplain #tellLater later}: this thread has a lock that others want. */
    boolean tellsLater() {
        return stopped.isExecutedHere();
    }

    /** Tells a user something when nothing is locked any more; where {@link #tellsLater}. */
    void tellLater(Runnable end) {
        stopped.tellLater(end);
    }

    /** Tells a user something, now or later. What it runs must not throw. */
    void tell(Runnable end) {
        if (tellsLater()) {
            tellLater(end);
        } else {
            end.run();
        }
    }

    boolean isStopped() {
        return stopped.isNow();
    }

    /** Unless somebody else still wants it parked. */
    void unparkReceiveRing() {
        if (!stopped.isNow() && !recovery.isDown()) {
            receiveRing.unpark();
        }
    }

    /**
     * Returns how busy the engine is and what it has counted.
     *
     * @return for any thread
     */
    public LoopGauges gauges() {
        return gauges;
    }

    RpcConfig config() {
        return config;
    }

    NanoClock clock() {
        return clock;
    }

    CreditPool creditPool() {
        return creditPool;
    }

    TimerWheel timers() {
        return timers;
    }

    SlabPool slab() {
        return slab;
    }

    ReceiveRingLedger receiveRing() {
        return receiveRing;
    }

    ClientRequests clientRequests() {
        return clientRequests;
    }

    CancellationWatch cancellations() {
        return cancellations;
    }

    Streams streams() {
        return streams;
    }

    LoadShedding shedding() {
        return shedding;
    }

    ServerResponses serverResponses() {
        return serverResponses;
    }
}
