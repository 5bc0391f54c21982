package io.rdmarpc.rpc.control;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The engines on the first NIC, and which sessions they get. The first {@link #active} engines get new sessions. The others
 * keep the sessions that they have until the peers have moved. Clients move theirs ({@link Channel}). A server asks its
 * clients: if an engine is inactive, and if one engine has much more load than another. Control thread only, unless stated.
 */
final class EnginePlacement {

    /** Minimum time between two requests to open the same session again. */
    private static final Duration ASK_INTERVAL = Duration.ofSeconds(5);

    /** Maximum number of sessions that are asked at once, because each one needs work at the NIC. */
    private static final int ASKED_AT_ONCE = 32;

    /** An engine with this load is busy most of the time. */
    private static final int BUSY_LOAD = ControlEngine.FULL_LOAD * 4 / 5;

    /** How many measurements to wait after sessions were asked, because they need time to move. */
    private static final int MEASUREMENTS_TO_WAIT = 10;

    private final List<ControlEngine> engines;
    private final AtomicInteger nextNumber = new AtomicInteger();
    private volatile int active;
    private int toWait;
    private boolean sampled;

    EnginePlacement(List<ControlParts> parts) {
        this.engines = new CopyOnWriteArrayList<>(
                parts.stream().map(ControlEngine::new).toList());
        this.active = engines.size();
    }

    /** Adds an engine, which is inactive. */
    void add(ControlParts parts) {
        engines.add(new ControlEngine(parts));
    }

    /** Returns the number of engines that get new sessions. Thread-safe. */
    int active() {
        return active;
    }

    /** Sets the number of engines that get new sessions, at least 1 and at most {@link #count}. */
    void activate(int number) {
        active = number;
    }

    /** Returns the number of all engines. Thread-safe. */
    int count() {
        return engines.size();
    }

    /** Returns an engine by its number, from 0. Thread-safe. */
    ControlEngine engine(int number) {
        return engines.get(number);
    }

    /** Returns the number of the engine of the next channel in a round-robin over the active ones. Thread-safe. */
    int nextNumber() {
        return Math.floorMod(nextNumber.getAndIncrement(), active);
    }

    /** Returns the active engine with the least load, for a new session of a client. */
    ControlEngine next() {
        ControlEngine least = engines.getFirst();
        for (ControlEngine engine : engines.subList(1, active)) {
            least = engine.load() < least.load() ? engine : least;
        }
        least.sessionPlaced();
        return least;
    }

    boolean isDatagramQueuePair(int number) {
        return engines.stream()
                .map(ControlEngine::parts)
                .anyMatch(parts -> parts.ud().endpoint(parts.nic().gid()).qpn() == number);
    }

    /**
     * Records the load of all engines and asks clients to move sessions, if that is worth it.
     *
     * @param utilization the share of time in which each engine had work since the last measurement
     * @param sessions the sessions of clients
     * @param now the time in nanoseconds
     */
    void measured(double[] utilization, Supplier<Stream<ServerControl>> sessions, long now) {
        for (int i = 0; i < Math.min(utilization.length, engines.size()); i++) {
            engines.get(i).measured(utilization[i]);
        }
        if (engines.size() > active) {
            leaveInactive(sessions.get(), now);
        }
        if (toWait > 0) {
            toWait--;
        } else if (active > 1) {
            balance(sessions, now);
        }
    }

    private void leaveInactive(Stream<ServerControl> sessions, long now) {
        List<ControlEngine> inactive = engines.subList(active, engines.size());
        sessions.filter(session -> inactive.contains(session.engine()) && session.mayBeAsked(now, ASK_INTERVAL))
                .limit(ASKED_AT_ONCE)
                .forEach(session -> session.askToReopen(now));
    }

    private void balance(Supplier<Stream<ServerControl>> sessions, long now) {
        List<ControlEngine> candidates = engines.subList(0, active);
        Comparator<ControlEngine> byLoad = Comparator.comparingInt(ControlEngine::load);
        ControlEngine most = candidates.stream().max(byLoad).orElseThrow();
        int least = candidates.stream().min(byLoad).orElseThrow().load();
        if (most.load() < BUSY_LOAD || least > most.load() / 2) {
            sampled = false;
            return;
        }
        List<Loaded> loads = sessions.get()
                .filter(session -> session.engine().equals(most))
                .map(session -> new Loaded(session, session.requestsSinceLastLook()))
                .toList();
        if (sampled) {
            move(loads, (double) (most.load() - least) / (2 * most.load()), now);
        }
        // The first numbers are those since the sessions were opened, and not of the last measurement.
        sampled = !sampled;
    }

    /** A session with the number of its requests since the last measurement. */
    private record Loaded(ServerControl session, long requests) {}

    /** Asks the clients of sessions with about this part of the requests, those with the most requests first. */
    private void move(List<Loaded> loads, double part, long now) {
        long left = (long) (part * loads.stream().mapToLong(Loaded::requests).sum());
        List<ServerControl> asked = new ArrayList<>();
        for (Loaded each : loads.stream()
                .sorted(Comparator.comparingLong(Loaded::requests).reversed())
                .toList()) {
            boolean fits = each.requests() > 0 && each.requests() <= left && asked.size() < ASKED_AT_ONCE;
            if (fits && each.session().mayBeAsked(now, ASK_INTERVAL)) {
                left -= each.requests();
                asked.add(each.session());
            }
        }
        asked.forEach(session -> session.askToReopen(now));
        toWait = asked.isEmpty() ? 0 : MEASUREMENTS_TO_WAIT;
    }
}
