package io.rdmarpc.rpc.engine;

import io.rdmarpc.concurrent.FakeClock;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.config.TrafficConfig;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.error.RdmaException;
import io.rdmarpc.verbs.soft.SimulatedNetwork;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Processes with an engine each, on software RNICs, in one thread and with a simulated time. A seed determines the
 * schedule: the process that runs, the faults of the network, and the calls that are made, completed or cancelled. It
 * also determines which sessions end, and which processes die and restart. {@link #run} throws at the first violation.
 * The same seed repeats the same run.
 */
final class Simulation {

    private static final int FIRST_PORT = 5_000;
    /** Small rings have hardly any credits to lend; in large ones streams get most of the credits they request. */
    private static final int[] RINGS = {48, 160, 640};

    private static final long QUIET_NANOS = Duration.ofSeconds(20).toNanos();
    private static final long TICK_NANOS = Duration.ofMillis(1).toNanos();

    final FakeClock clock = new FakeClock(Long.MAX_VALUE - Duration.ofSeconds(2).toNanos());
    private final SplittableRandom random;
    private final SimulatedNetwork network = new SimulatedNetwork(clock::nanoTime);
    private final PathMtu mtu;
    private final int ring;
    private final LinkFaults faults;
    private final TrafficConfig traffic;
    /** Whether the first process serves no methods, and makes one call after the other as owner of its loop. */
    private final boolean clientOnly;

    private final SimNode[] nodes;
    private final List<SimSession> sessions = new ArrayList<>();
    private final List<SimCall> calls = new ArrayList<>();
    private final List<SimCall> keeping = new ArrayList<>();
    private final Map<Long, SimStream> streams = new HashMap<>();
    private final List<SimStream> liveStreams = new ArrayList<>();
    private final Map<Long, Integer> executions = new HashMap<>();
    private final Set<Long> notRun = new HashSet<>();
    private final SimReport report;
    private long nextId = 1;
    private int callsFromHandlers;
    private boolean quiet;
    private @Nullable SimulationException violation;

    Simulation(long seed, SimReport report) {
        this.report = report;
        random = new SplittableRandom(seed);
        mtu = PathMtu.ofBytes(256 << random.nextInt(5));
        ring = RINGS[random.nextInt(RINGS.length)];
        faults = faults(seed);
        traffic = TrafficConfig.DEFAULTS
                .withBatching(random.nextInt(4) > 0)
                .withCongestionControl(random.nextInt(4) == 0);
        clientOnly = random.nextInt(3) == 0;
        nodes = new SimNode[2 + random.nextInt(2)];
        for (int i = 0; i < nodes.length; i++) {
            nodes[i] = open(i);
        }
        for (int i = 2 + random.nextInt(3); i > 0; i--) {
            connect();
        }
    }

    private LinkFaults faults(long seed) {
        double[] shares = {0, 0, 0.01, 0.05, 0.3};
        return new LinkFaults(
                shares[random.nextInt(shares.length)],
                shares[random.nextInt(shares.length)],
                shares[random.nextInt(shares.length)],
                shares[random.nextInt(shares.length)],
                0,
                random.nextLong(10_000, 20_000_000),
                seed);
    }

    private SimNode open(int index) {
        return new SimNode(this, network, FIRST_PORT + index, faults, mtu.bytes(), ring, traffic, clock);
    }

    private SimNode anyNode() {
        return nodes[random.nextInt(nodes.length)];
    }

    private void connect() {
        int window = 1 + random.nextInt(SimSession.MAX_WINDOW);
        SimNode responder = clientOnly ? nodes[1 + random.nextInt(nodes.length - 1)] : anyNode();
        sessions.add(new SimSession(anyNode(), responder, window, mtu, random.nextLong()));
    }

    /**
     * Runs random steps, then waits until all work has ended, then ends the sessions and checks that nothing is leaked.
     */
    void run(int steps) {
        for (int i = 0; i < steps; i++) {
            step();
            checkEverywhere();
        }
        quiesce();
        endAll();
        report.add(calls.size(), executions.size(), nodes);
        for (SimNode node : nodes) {
            close(node);
        }
    }

    private void step() {
        SimNode node = anyNode();
        int what = random.nextInt(1_000);
        if (what < 480) {
            runLoop(node);
        } else if (what < 560) {
            SimNode.runOne(node.blocking);
        } else if (what < 660) {
            SimNode.runOne(node.workers);
        } else if (what < 720) {
            SimNode.runOne(node.control);
        } else if (what < 800) {
            clock.advanceNanos(someNanos());
        } else if (what < 850) {
            callSome();
        } else if (what < 865) {
            cancelSome();
        } else if (what < 872) {
            openStream();
        } else if (what < 914) {
            actSome();
        } else if (what < 940) {
            respondToSome(node);
        } else if (what < 970) {
            closeSome();
        } else if (what < 985) {
            node.link.stall(random.nextBoolean());
        } else if (what < 987) {
            endSome();
        } else if (what < 988) {
            drainSome();
        } else if (what < 992) {
            connect();
        } else if (random.nextInt(16) == 0) {
            restart(random.nextInt(nodes.length));
        }
    }

    /**
     * Runs the loop without a caller, or by the last caller that began to wait as its owner. That caller may call again
     * at once.
     */
    private void runLoop(SimNode node) {
        SimCall waited = node.waited;
        if (waited == null || random.nextInt(6) == 0) {
            node.loop.doWork();
            return;
        }
        int _ = node.loop.cycle().run(DutyCycle.Mode.AWAIT_CALL, waited::hasEnded);
        if (waited.hasEnded()) {
            report.deferredCompletions += node.loop.deferred().isDeferred() ? 1 : 0;
            node.waited = null;
            if (random.nextInt(4) > 0) {
                callAsOwner(waited.session);
            }
        }
    }

    /** A caller runs the loop for some time, while the others work. */
    private void runByCaller(SimNode node) {
        for (SimNode each : nodes) {
            each.link.stall(false);
        }
        for (int i = random.nextInt(40); i > 0; i--) {
            runLoop(node);
            for (SimNode other : nodes) {
                if (other != node) {
                    other.loop.doWork();
                    SimNode.runOne(other.workers);
                }
            }
            clock.advanceNanos(random.nextLong(100_000));
            checkEverywhere();
        }
    }

    private void callAsOwner(SimSession session) {
        SimCall call = newCall(session);
        session.client.node.waited = call;
        call.startAsOwner(someMethod());
    }

    private long someNanos() {
        return switch (random.nextInt(10)) {
            case 0 -> random.nextLong(50 * TICK_NANOS);
            case 1, 2, 3 -> random.nextLong(3 * TICK_NANOS);
            default -> random.nextLong(50_000);
        };
    }

    private void callSome() {
        SimSession session = sessions.isEmpty() ? null : sessions.get(random.nextInt(sessions.size()));
        if (session == null || (!session.client().takesCalls() && random.nextInt(10) > 0)) {
            return;
        }
        for (int i = isClientOnly(session) ? 0 : 1 + random.nextInt(6); i > 0; i--) {
            call(session);
        }
        if (session.client.node.waited == null && random.nextBoolean()) {
            callAsOwner(session);
        }
        if (isClientOnly(session)) {
            runByCaller(session.client.node);
        }
    }

    private boolean isClientOnly(SimSession session) {
        return clientOnly && session.client.node == nodes[0];
    }

    private void call(SimSession session) {
        newCall(session).start(someMethod());
    }

    private int someMethod() {
        return random.nextBoolean() ? SimNode.ON_ENGINE : SimNode.ON_EXECUTOR;
    }

    private SimCall newCall(SimSession session) {
        SimMessage.Action action = switch (random.nextInt(20)) {
            case 0 -> SimMessage.Action.THROW;
            case 1 -> SimMessage.Action.REJECT;
            case 2, 3, 4, 5 -> SimMessage.Action.RESPOND_LATER;
            default -> SimMessage.Action.RESPOND;
        };
        long timeout = TICK_NANOS * (random.nextInt(5) == 0 ? random.nextInt(20) : 20 + random.nextInt(2_000));
        int packet = session.client().maxPacketPayload();
        SimCall call = new SimCall(this, session, nextId++, someLength(packet), someLength(packet), action, timeout);
        calls.add(call);
        return call;
    }

    private int someLength(int packet) {
        return switch (random.nextInt(12)) {
            case 0 -> random.nextInt(SimMessage.TINY);
            case 1 -> packet - 1 + random.nextInt(3);
            case 2, 3 -> packet + random.nextInt(20_000);
            case 4 -> random.nextInt(40) == 0 ? SimNode.MAX_MESSAGE : random.nextInt(70_000);
            default -> random.nextInt(packet);
        };
    }

    private void cancelSome() {
        if (!calls.isEmpty()) {
            SimCall call = calls.get(calls.size() - 1 - random.nextInt(Math.min(calls.size(), 12)));
            if (!call.hasEnded()) {
                call.cancel();
            }
        }
    }

    private void openStream() {
        SimSession session = sessions.isEmpty() ? null : sessions.get(random.nextInt(sessions.size()));
        if (session == null || !session.client().takesCalls() || isClientOnly(session)) {
            return;
        }
        SimStream opened = newStream(session.client.node, session.client().maxPacketPayload());
        long timeout = TICK_NANOS * (random.nextInt(5) == 0 ? random.nextInt(40) : 100 + random.nextInt(3_000));
        try {
            opened.is(session.client().openStream(SimNode.STREAM, random.nextInt(33), timeout, opened));
            started(opened);
        } catch (RdmaException e) {
            check(
                    e instanceof RdmaBackpressureException || !session.client().takesCalls(),
                    "cannot open a stream: " + e);
        }
    }

    private SimStream newStream(SimNode node, int packet) {
        return new SimStream(this, node, nextId++, packet - 16);
    }

    private void started(SimStream stream) {
        streams.put(stream.id, stream);
        liveStreams.add(stream);
        report.streams++;
    }

    /** A method of a node is called with a stream. */
    void acceptStream(SimNode node, RpcRequest request) {
        SimStream accepted = newStream(node, request.maxPacketPayload());
        accepted.is(request.acceptStream(random.nextInt(33), accepted));
        started(accepted);
    }

    private void actSome() {
        for (int i = 2 * liveStreams.size(); i > 0; i--) {
            liveStreams.get(random.nextInt(liveStreams.size())).act(random);
        }
    }

    @Nullable
    SimStream stream(long id) {
        return streams.get(id);
    }

    boolean keepsItem() {
        return !quiet && random.nextInt(6) == 0;
    }

    void onStreamItem() {
        report.streamItems++;
    }

    /** A message found no credit. */
    void onStreamWait() {
        report.streamWaits++;
    }

    void onStreamWritable() {
        report.streamWakes++;
    }

    void onStreamEnd() {
        report.streamEnds++;
    }

    void onCancelled() {
        report.cancelled++;
    }

    private void respondToSome(SimNode node) {
        int waiting = node.service.held.size();
        if (waiting > 0) {
            node.service.respondToHeld(random.nextInt(waiting));
        }
    }

    private void closeSome() {
        if (!keeping.isEmpty()) {
            keeping.remove(random.nextInt(keeping.size())).closeKept();
        }
    }

    private void drainSome() {
        if (!sessions.isEmpty()) {
            SimSession session = sessions.get(random.nextInt(sessions.size()));
            session.server.drain();
            report.drains++;
        }
    }

    private void endSome() {
        if (!sessions.isEmpty()) {
            SimSession session = sessions.get(random.nextInt(sessions.size()));
            (random.nextBoolean() ? session.client : session.server).end("the simulation ended it");
        }
    }

    /** Ends a process in an orderly way, which its peers detect, and starts another one at its port. */
    private void restart(int index) {
        SimNode node = nodes[index];
        if (random.nextBoolean()) {
            sessionsOf(node).forEach(end -> end.end("the process ends"));
        }
        node.loop.shutDown("the process ends");
        for (SimSession.End end : sessionsOf(node)) {
            end.end("the process ends");
        }
        close(node);
        nodes[index] = open(index);
        report.restarts++;
    }

    private List<SimSession.End> sessionsOf(SimNode node) {
        List<SimSession.End> ends = new ArrayList<>();
        for (SimSession session : sessions) {
            if (session.client.node == node) {
                ends.add(session.client);
            }
            if (session.server.node == node) {
                ends.add(session.server);
            }
        }
        return ends;
    }

    // ---- invariants ----

    void check(boolean right, String message) {
        if (!right && violation == null) {
            // Stored and thrown, because an engine may catch what its handlers throw.
            violation = new SimulationException(message);
            throw violation;
        }
    }

    /** A violation. It is an error, so that no engine treats it as a failure of a handler. */
    static final class SimulationException extends AssertionError {

        private static final long serialVersionUID = 1;

        SimulationException(String message) {
            super(message);
        }
    }

    void onExecuted(long id) {
        check(executions.merge(id, 1, Integer::sum) == 1, "call " + id + " ran twice");
        check(!notRun.contains(id), "call " + id + " ran after its caller was notified that it had not");
    }

    int executions(long id) {
        return executions.getOrDefault(id, 0);
    }

    boolean keepsResponse(SimCall call) {
        boolean keeps = !quiet && random.nextInt(8) == 0;
        if (keeps) {
            keeping.add(call);
        } else {
            callAgain(call);
        }
        return keeps;
    }

    void onCompletedAsOwner() {
        report.completedAsOwner++;
    }

    /** Checks a call that the server has reported as not run, and that must not run later. */
    void onNotRun(SimCall call) {
        report.notRun++;
        notRun.add(call.id);
        check(executions(call.id) == 0, call + " ran, and its caller was notified that it had not");
    }

    void onFailed(SimCall call) {
        callAgain(call);
    }

    /** Calls from within the handler of a result. */
    private void callAgain(SimCall call) {
        if (!quiet
                && callsFromHandlers < 50
                && call.session.client().isOpen()
                && random.nextInt(8) == 0
                && !isClientOnly(call.session)) {
            callsFromHandlers++;
            call(call.session);
        }
    }

    private void checkEverywhere() {
        if (violation != null) {
            throw violation;
        }
        for (SimNode node : nodes) {
            check(node.dropped(Drop.INTERNAL) == 0, "the engine had an internal failure; see the log");
            check(node.ud.errors() == 0, "a datagram or a receive failed");
            SimInvariants.checkCredits(node, sessions, liveStreams);
        }
        for (SimSession session : sessions) {
            SimInvariants.check(session);
            session.client.endWhenIdle();
        }
        sessions.removeIf(SimSession::isOver);
        for (SimStream stream : liveStreams) {
            if (stream.isOver()) {
                stream.closeKept();
            }
        }
        liveStreams.removeIf(SimStream::isOver);
    }

    private void runAll() {
        for (SimNode node : nodes) {
            node.loop.doWork();
            node.runOthers();
            node.service.respondToAll();
        }
        checkEverywhere();
    }

    /** Stops all faults, and checks that all calls end and live sessions hold only their retained responses. */
    private void quiesce() {
        quiet = true;
        network.calmDown();
        for (SimNode node : nodes) {
            node.link.stall(false);
        }
        keeping.forEach(SimCall::closeKept);
        keeping.clear();
        liveStreams.forEach(SimStream::quiesce);
        long start = clock.nanoTime();
        while (!liveStreams.stream().allMatch(SimStream::isOver)
                || !calls.stream().allMatch(SimCall::hasEnded)
                || !sessions.stream().allMatch(SimInvariants::isIdle)) {
            check(clock.nanoTime() - start < QUIET_NANOS, "calls or sessions that do not end: " + unfinished());
            runAll();
            liveStreams.forEach(SimStream::quiesce);
            clock.advanceNanos(TICK_NANOS);
        }
        awaitRest(start);
    }

    /** A cycle with work leaves receives to be posted by the next one. */
    private void awaitRest(long start) {
        while (!Arrays.stream(nodes).allMatch(this::isAtRest)) {
            check(
                    clock.nanoTime() - start < QUIET_NANOS,
                    "resources that are not needed are not released: "
                            + Arrays.stream(nodes).map(this::inUse).toList());
            runAll();
            clock.advanceNanos(TICK_NANOS);
        }
    }

    /** Returns whether a node holds only the responses that it retains. */
    private boolean isAtRest(SimNode node) {
        return node.postedReceives() + node.reservedReceives() == node.ring
                && node.blocksInUse() == retainedResponses(node);
    }

    private int retainedResponses(SimNode node) {
        return sessionsOf(node).stream()
                .mapToInt(SimInvariants::retainedResponses)
                .sum();
    }

    private String inUse(SimNode node) {
        return node.postedReceives() + " receives posted, " + node.reservedReceives() + " in reserve, "
                + node.blocksInUse() + " blocks in use for " + retainedResponses(node) + " retained responses";
    }

    private String unfinished() {
        return liveStreams.stream().filter(stream -> !stream.isOver()).count() + " streams, "
                + calls.stream().filter(call -> !call.hasEnded()).toList() + ", "
                + sessions.stream()
                        .filter(session -> !SimInvariants.isIdle(session))
                        .count() + " busy sessions";
    }

    private void endAll() {
        sessions.forEach(session -> session.client.end("the simulation is over"));
        long start = clock.nanoTime();
        while (!sessions.isEmpty()) {
            check(clock.nanoTime() - start < QUIET_NANOS, "sessions that are not released");
            runAll();
            clock.advanceNanos(TICK_NANOS);
        }
        awaitRest(start);
        for (SimNode node : nodes) {
            int borrowed = node.loop.creditPool().borrowed();
            check(borrowed == 0, borrowed + " entries are borrowed when all sessions have ended");
        }
    }

    /** Ends a process, and checks that all its resources are free. */
    private void close(SimNode node) {
        node.loop.shutDown("the process ends");
        do {
            node.service.respondToAll();
        } while (node.runOthers());
        liveStreams.forEach(SimStream::closeKept);
        keeping.stream().filter(call -> call.session.client.node == node).forEach(SimCall::closeKept);
        keeping.removeIf(call -> call.session.client.node == node);
        int atNic = node.arena.statistics().blocksInUse();
        check(atNic == 0, atNic + " large blocks in use in a process that has ended");
        check(
                node.loop.gauges().executingCalls() == 0,
                node.loop.gauges().executingCalls() + " calls are never completed");
        check(sessionsOf(node).stream().allMatch(end -> end.drains == 1), "a session was not released exactly once");
        node.close();
        check(node.budget.registeredBytes() == 0, node.budget.registeredBytes() + " bytes stay registered");
    }
}
