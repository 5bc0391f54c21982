package io.rdmarpc.demo.live;

import io.rdmarpc.demo.live.Snapshot.Phase;
import io.rdmarpc.demo.live.load.Callers;
import io.rdmarpc.demo.live.load.Lane;
import io.rdmarpc.demo.live.load.LaneView;
import io.rdmarpc.demo.live.load.LoadSettings;
import io.rdmarpc.demo.live.load.OrderBook;
import io.rdmarpc.demo.live.load.WarmUp;
import io.rdmarpc.demo.live.load.Workload;
import io.rdmarpc.demo.live.side.GrpcSide;
import io.rdmarpc.demo.live.side.HttpSide;
import io.rdmarpc.demo.live.side.ProcessReading;
import io.rdmarpc.demo.live.side.ProcessView;
import io.rdmarpc.demo.live.side.RdmaSide;
import io.rdmarpc.demo.live.side.RdmaView;
import io.rdmarpc.demo.live.side.Readings;
import io.rdmarpc.demo.live.side.ServerStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.DoubleFunction;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs the load in intervals of one second, in which the transports alternate or work together, and reports the
 * results. Measurements begin when the transports are warm: after each start, and after each change of the settings. One thread runs it. Other threads submit commands, which it runs after the callers have finished their
 * current calls.
 */
final class LoadRunner implements Runnable {

    private static final Log LOG = LogFactory.getLog(LoadRunner.class);
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration DRAIN_LIMIT = Duration.ofSeconds(12);
    private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final HttpSide http;
    private final DoubleFunction<RdmaSide> rdmaStart;
    private final Consumer<Snapshot> listener;
    private final BlockingQueue<Runnable> commands = new LinkedBlockingQueue<>();
    private final Lane rdmaLane;
    private final Lane grpcLane;
    private final Lane httpLane;
    private final Duration warmUpLimit;
    private final HostLoad hostLoad = new HostLoad(Runtime.getRuntime().availableProcessors());

    private volatile boolean ended;
    private volatile @Nullable RdmaSide rdma;
    private @Nullable GrpcSide grpc;
    private volatile LoadSettings wanted;
    private volatile LoadSettings settings;
    private OrderBook book;
    private List<Callers> callers = List.of();
    private volatile Phase phase = Phase.STARTING;
    private @Nullable WarmUp warmUp;
    private @Nullable Long unfinishedWarmUp;
    private @Nullable String problem;
    private Readings lastReadings;
    private List<LaneView> lastViews;
    private long retransmissionsBefore;
    private long inFlightPeak;
    private long backlogPeak;

    /**
     * Creates a runner.
     *
     * @param http the client of the HTTP server
     * @param rdmaStart opens the RDMA client, which loses this percentage of its packets
     * @param first the settings at the start
     * @param warmUpLimit maximum duration of a warm-up
     * @param listener receives the snapshots
     */
    LoadRunner(
            HttpSide http,
            DoubleFunction<RdmaSide> rdmaStart,
            LoadSettings first,
            Duration warmUpLimit,
            Consumer<Snapshot> listener) {
        this.http = http;
        this.rdmaStart = rdmaStart;
        this.wanted = first;
        this.settings = first;
        this.book = new OrderBook(first.payloadBytes());
        this.warmUpLimit = warmUpLimit;
        this.listener = listener;
        this.rdmaLane = new Lane("RDMA", this::rdmaBytes);
        this.grpcLane = new Lane("gRPC", this::grpcBytes);
        this.httpLane = new Lane("HTTP", http::bytes);
        this.httpLane.use(http.desk());
        this.lastReadings = new Readings(System.nanoTime(), ProcessReading.own(), null);
        this.lastViews = views();
    }

    private long rdmaBytes() {
        RdmaSide side = rdma;
        return side == null ? 0 : side.bytes();
    }

    private long grpcBytes() {
        GrpcSide side = grpc;
        return side == null ? 0 : side.bytes();
    }

    /** Returns the settings that the load uses now. */
    LoadSettings settings() {
        return settings;
    }

    @Nullable
    RdmaSide rdma() {
        return rdma;
    }

    HttpSide http() {
        return http;
    }

    void start() {
        commands.add(this::startCalls);
    }

    void stop() {
        commands.add(this::stopCalls);
    }

    /** Discards all measurements. */
    void reset() {
        commands.add(this::discardMeasurements);
    }

    void apply(LoadSettings next) {
        wanted = next;
        commands.add(this::applySettings);
    }

    Lane rdmaLane() {
        return rdmaLane;
    }

    Lane httpLane() {
        return httpLane;
    }

    /** Returns whether calls are made. */
    boolean isActive() {
        return phase.isActive();
    }

    /** Ends the loop. Any thread may call it. */
    void end() {
        ended = true;
        commands.add(() -> {});
    }

    @Override
    public void run() {
        openRdma(settings.lossPercent());
        phase = Phase.STOPPED;
        startCalls();
        while (!ended) {
            runInterval();
        }
        stopCalls();
        closeRdma();
        closeGrpc();
    }

    private void runInterval() {
        try {
            WarmUp begun = warmUp;
            if (isActive()) {
                List<List<Lane>> slices = slices();
                slices.forEach(lanes -> work(lanes, INTERVAL.toNanos() / slices.size()));
                lastViews = views();
            } else {
                runCommands(INTERVAL.toNanos());
            }
            Readings before = lastReadings;
            Readings now = read();
            lastReadings = now;
            // A command may have ended the warm-up, or begun another one.
            WarmUp warming = begun != null && begun.equals(warmUp) ? begun : null;
            if (warming != null) {
                addTo(warming, now, before);
            }
            listener.accept(snapshot(now, before));
            if (warming != null && warming.isOver()) {
                beginMeasurements(warming);
            }
        } catch (RuntimeException e) {
            LOG.error("an interval of the load failed", e);
            problem = String.valueOf(e.getMessage());
            runCommands(INTERVAL.toNanos());
        }
    }

    private void addTo(WarmUp warming, Readings now, Readings before) {
        List<Lane> all = lanes();
        List<Double> medians = slices().stream()
                .flatMap(List::stream)
                .filter(Lane::isConnected)
                .map(lane -> lastViews.get(all.indexOf(lane)).now())
                .map(latencies -> latencies.calls() == 0 ? Double.NaN : latencies.p50())
                .toList();
        warming.add(medians, now.compilerShareSince(before), Duration.ofNanos(now.atNanos() - before.atNanos()));
    }

    private void beginMeasurements(WarmUp over) {
        discardMeasurements();
        warmUp = null;
        unfinishedWarmUp = over.isWarm() ? null : over.view().seconds();
        phase = Phase.RUNNING;
    }

    private List<Lane> lanes() {
        return List.of(rdmaLane, grpcLane, httpLane);
    }

    private List<List<Lane>> slices() {
        return switch (settings.schedule()) {
            case TURNS -> lanes().stream().map(List::of).toList();
            case TOGETHER -> List.of(lanes());
            case RDMA -> List.of(List.of(rdmaLane));
            case GRPC -> List.of(List.of(grpcLane));
            case HTTP -> List.of(List.of(httpLane));
        };
    }

    private void work(List<Lane> lanes, long sliceNanos) {
        if (!isActive()) {
            return;
        }
        Readings before = read();
        lanes.forEach(Lane::open);
        Runnable command = awaitCommand(sliceNanos);
        lanes.forEach(lane -> lane.close(DRAIN_LIMIT));
        Readings after = read();
        lanes.forEach(lane ->
                lane.worked(after.atNanos() - before.atNanos(), after.cpuNanosSince(before), lanes.size() == 1));
        if (command != null) {
            command.run();
        }
    }

    /** Waits while callers work, and samples the backlog meanwhile. Returns early if a command arrives. */
    private @Nullable Runnable awaitCommand(long nanos) {
        long end = System.nanoTime() + nanos;
        long left = nanos;
        while (left > 0) {
            Runnable command = pollCommand(Math.min(left, SAMPLE_NANOS));
            if (command != null) {
                return command;
            }
            samplePeaks();
            left = end - System.nanoTime();
        }
        return null;
    }

    private void samplePeaks() {
        RdmaSide side = rdma;
        if (side != null) {
            RdmaView view = side.view();
            inFlightPeak = Math.max(inFlightPeak, view.inFlight());
            backlogPeak = Math.max(backlogPeak, view.backlog());
        }
    }

    private void runCommands(long nanos) {
        Runnable command = pollCommand(nanos);
        while (command != null) {
            command.run();
            command = commands.poll();
        }
    }

    private @Nullable Runnable pollCommand(long nanos) {
        try {
            return commands.poll(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            ended = true;
            return null;
        }
    }

    private Readings read() {
        ServerStatus server = null;
        try {
            server = http.monitor().status();
            problem = rdma == null ? problem : null;
            connectGrpc(server.grpcPort());
        } catch (RuntimeException e) {
            problem = "The server at " + http.url() + " does not respond: " + e.getMessage();
        }
        return new Readings(System.nanoTime(), ProcessReading.own(), server);
    }

    /** Connects to the gRPC server when its port is known, and again when the port has changed. */
    private void connectGrpc(@Nullable Integer port) {
        GrpcSide side = grpc;
        if (port != null && (side == null || side.port() != port)) {
            closeGrpc();
            GrpcSide opened = new GrpcSide(port);
            grpc = opened;
            grpcLane.use(opened.desk());
        }
    }

    private void closeGrpc() {
        GrpcSide side = grpc;
        grpc = null;
        grpcLane.use(null);
        if (side != null) {
            side.close();
        }
    }

    private Snapshot snapshot(Readings now, Readings before) {
        List<ProcessView> processes = processes(now, before);
        hostLoad.add(
                ProcessReading.hostLoad(),
                processes.stream().mapToDouble(ProcessView::cpus).sum());
        WarmUp warming = warmUp;
        RdmaSide side = rdma;
        RdmaView view = side == null ? null : side.view();
        long retransmissions = view == null ? 0 : view.retransmissions();
        Snapshot snapshot = new Snapshot(
                System.currentTimeMillis(),
                phase,
                warming == null ? null : warming.view(),
                Notes.setup(view, http.isLocal(), hostLoad.cpus()),
                Notes.of(view, http.isLocal(), settings, hostLoad, unfinishedWarmUp),
                problem,
                settings,
                lastViews,
                view,
                inFlightPeak,
                backlogPeak,
                Math.max(0, retransmissions - retransmissionsBefore),
                now.server(),
                processes,
                hostLoad.cpus());
        retransmissionsBefore = retransmissions;
        inFlightPeak = 0;
        backlogPeak = 0;
        return snapshot;
    }

    private static List<ProcessView> processes(Readings now, Readings before) {
        List<ProcessView> processes = new ArrayList<>();
        ProcessReading client = now.client();
        String name = now.isOneProcess() ? "client and server" : "client";
        processes.add(new ProcessView(
                name, client.pid(), now.shareSince(before, now.clientCpuSince(before)), client.heapBytes()));
        ServerStatus status = now.server();
        if (status != null && !now.isOneProcess()) {
            ProcessReading server = status.process();
            processes.add(new ProcessView(
                    "server", server.pid(), now.shareSince(before, now.serverCpuSince(before)), server.heapBytes()));
        }
        return processes;
    }

    private List<LaneView> views() {
        return lanes().stream().map(Lane::view).toList();
    }

    private void startCalls() {
        if (isActive()) {
            return;
        }
        if (settings.workload() == Workload.AMEND) {
            placeAll();
        }
        callers =
                lanes().stream().map(lane -> new Callers(lane, settings, book)).toList();
        callers.forEach(Callers::start);
        warmUp = new WarmUp(warmUpLimit);
        unfinishedWarmUp = null;
        phase = Phase.WARMING_UP;
    }

    private void placeAll() {
        try {
            book.placeAll(http.desk());
        } catch (RuntimeException e) {
            LOG.warn("placing the orders to amend failed; calls that amend them will fail", e);
        }
    }

    private void stopCalls() {
        callers.forEach(Callers::stop);
        callers = List.of();
        warmUp = null;
        phase = Phase.STOPPED;
    }

    private void discardMeasurements() {
        lanes().forEach(Lane::reset);
        lastViews = views();
    }

    private void applySettings() {
        boolean wasActive = isActive();
        stopCalls();
        settings = wanted;
        RdmaSide side = rdma;
        if (side == null || side.lossPercent() != settings.lossPercent()) {
            reopenRdma(side);
        }
        book = new OrderBook(settings.payloadBytes());
        discardMeasurements();
        if (wasActive) {
            startCalls();
        }
    }

    private void reopenRdma(@Nullable RdmaSide side) {
        if (side != null && !side.takesFaults()) {
            settings = settings.withLoss(0);
            return;
        }
        phase = Phase.STARTING;
        Readings now = read();
        listener.accept(snapshot(now, lastReadings));
        lastReadings = now;
        closeRdma();
        openRdma(settings.lossPercent());
        phase = Phase.STOPPED;
    }

    private void openRdma(double lossPercent) {
        try {
            RdmaSide opened = rdmaStart.apply(lossPercent);
            rdma = opened;
            settings = opened.takesFaults() ? settings : settings.withLoss(0);
            rdmaLane.use(opened.desk());
            problem = null;
        } catch (RuntimeException e) {
            LOG.error("starting the RDMA client failed", e);
            problem = "Starting the RDMA client failed: " + e.getMessage();
        }
        retransmissionsBefore = 0;
    }

    private void closeRdma() {
        RdmaSide side = rdma;
        rdma = null;
        rdmaLane.use(null);
        if (side != null) {
            side.close();
        }
    }
}
