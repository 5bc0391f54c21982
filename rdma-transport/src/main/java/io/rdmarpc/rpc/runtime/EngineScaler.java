package io.rdmarpc.rpc.runtime;

import io.rdmarpc.events.PollingThreadsEvent;
import io.rdmarpc.rpc.control.ControlParts;
import io.rdmarpc.rpc.control.ControlPlane;
import io.rdmarpc.rpc.stats.ScalingSnapshot;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/**
 * Adds engines and sets how many are active, as {@link ScalingPolicy} decides. Engines are opened by the executor of
 * blocking verbs. They are closed with the runtime, because their memory may be in use for long after the load has ended.
 * The control thread measures.
 */
final class EngineScaler {

    private static final System.Logger LOG = System.getLogger(RdmaRuntime.class.getName());

    /** Below this utilization, in which an engine is far from its limit, measurements are rare. */
    private static final double QUIET = 0.05;

    private static final long QUIET_INTERVALS = 10;

    /** Opens engines on the first NIC. */
    interface Opener {

        /** Opens an engine by its number. Blocks. */
        Engine open(int number);

        /** Starts an engine and adds it to those of the runtime. */
        void add(Engine engine);

        /** Returns the parts of an engine for the control plane. */
        ControlParts partsOf(Engine engine);
    }

    private final int max;
    private final ControlPlane plane;
    private final Executor blocking;
    private final Opener opener;
    private final ScalingPolicy policy;
    private volatile DoubleSupplier idleProcessors = new IdleProcessors(Path.of("/proc/stat"))::sinceLastCall;
    /** The engines on the first NIC. Control thread only, after the constructor. */
    private final List<Engine> engines;

    private final List<Long> busyNanos = new ArrayList<>();
    private long measuredNanos;
    private boolean opening;
    private boolean ticking;
    private volatile boolean running;
    private volatile int open;
    private volatile String lastChange = "";

    EngineScaler(List<Engine> engines, int max, ControlPlane plane, Executor blocking, Opener opener) {
        this.engines = new ArrayList<>(engines);
        this.open = engines.size();
        this.max = max;
        this.plane = plane;
        this.blocking = blocking;
        this.opener = opener;
        this.policy = new ScalingPolicy(max);
    }

    /** Sets the measure of idle processors; for tests. */
    void idleProcessors(DoubleSupplier measure) {
        idleProcessors = measure;
    }

    /** Changes the number of active engines regardless of the load; for tests. */
    void resize(int wanted) {
        plane.execute(() -> {
            if (!opening) {
                change(plane.activeEngines(), Math.min(wanted, engines.size() + 1), 0);
            }
        });
    }

    ScalingSnapshot snapshot() {
        return new ScalingSnapshot(plane.activeEngines(), open, Math.max(max, open), lastChange);
    }

    /** Starts measuring, if there may be more than one engine. */
    synchronized void start() {
        running = max > open || plane.activeEngines() > 1;
        if (running) {
            plane.execute(this::begin);
        }
    }

    /** Stops changes. No engine is added to the runtime after this. */
    synchronized void stop() {
        running = false;
    }

    private void begin() {
        measure(System.nanoTime());
        if (!ticking) {
            ticking = true;
            schedule(1);
        }
    }

    private void schedule(long intervals) {
        plane.after(ScalingPolicy.INTERVAL.multipliedBy(intervals), this::tick);
    }

    private void tick() {
        ticking = running;
        if (!running) {
            return;
        }
        double highest = 0;
        try {
            long now = System.nanoTime();
            double[] utilization = measure(now);
            for (double each : utilization) {
                highest = Math.max(highest, each);
            }
            plane.measured(utilization);
            if (!opening) {
                int active = plane.activeEngines();
                change(active, policy.next(active, utilization, idleProcessors, now), highest);
            }
        } finally {
            schedule(highest < QUIET ? QUIET_INTERVALS : 1);
        }
    }

    /** Returns the utilization of all engines since the last measurement. */
    private double[] measure(long now) {
        double[] utilization = new double[engines.size()];
        long passed = Math.max(1, now - measuredNanos);
        measuredNanos = now;
        for (int i = 0; i < utilization.length; i++) {
            long busy = engines.get(i).loop().gauges().busyNanos();
            if (i == busyNanos.size()) {
                busyNanos.add(busy);
            }
            utilization[i] = Math.min(1, (double) (busy - busyNanos.set(i, busy)) / passed);
        }
        return utilization;
    }

    private void change(int active, int wanted, double highest) {
        if (wanted > engines.size()) {
            opening = true;
            blocking.execute(() -> open(wanted, highest));
        } else if (wanted != active) {
            activate(wanted, wanted > active ? "they were saturated" : "they had little work", highest);
        }
    }

    private void activate(int wanted, String reason, double highest) {
        PollingThreadsEvent.record(plane.activeEngines(), wanted, reason, highest);
        plane.activate(wanted);
        lastChange = String.format(
                Locale.ROOT, "%d active: %s, the busiest %.0f %% of the time", wanted, reason, 100 * highest);
        LOG.log(System.Logger.Level.DEBUG, "engines: {0}", lastChange);
    }

    /** Opens one more engine; executor of blocking verbs. */
    private void open(int wanted, double highest) {
        try {
            Engine fresh = opener.open(wanted - 1);
            if (addIfRunning(fresh)) {
                plane.execute(() -> opened(fresh, wanted, highest));
            } else {
                fresh.close();
                plane.execute(() -> opening = false);
            }
        } catch (RuntimeException | Error e) {
            plane.execute(() -> failed(e));
        }
    }

    private synchronized boolean addIfRunning(Engine fresh) {
        if (running) {
            opener.add(fresh);
        }
        return running;
    }

    private void opened(Engine fresh, int wanted, double highest) {
        opening = false;
        engines.add(fresh);
        plane.addEngine(opener.partsOf(fresh));
        open = engines.size();
        if (running) {
            activate(wanted, "they were saturated", highest);
        }
    }

    private void failed(Throwable why) {
        opening = false;
        if (!running) {
            return;
        }
        policy.failed(System.nanoTime());
        lastChange = "another engine could not be opened: " + why.getMessage();
        LOG.log(
                System.Logger.Level.WARNING,
                "the engines are saturated, but another one could not be opened. They continue to work. To stop further"
                        + " attempts set rdma.polling.threads to " + open + ". The next attempt follows after "
                        + TimeUnit.NANOSECONDS.toSeconds(ScalingPolicy.FIRST_PAUSE.toNanos()) + " s or more",
                why);
    }
}
