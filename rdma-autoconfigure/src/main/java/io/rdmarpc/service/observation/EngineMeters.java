package io.rdmarpc.service.observation;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.rdmarpc.rpc.ActivityStatistics;
import io.rdmarpc.rpc.EngineSnapshot;
import io.rdmarpc.rpc.EngineStatistics;
import io.rdmarpc.rpc.RefusalCode;
import io.rdmarpc.rpc.TrafficStatistics;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.client.TargetListener;
import io.rdmarpc.transport.NicContext;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * What engines and device count, as meters. They are read when someone asks; nothing is recorded while the engines work.
 */
public final class EngineMeters implements MeterBinder, TargetListener {

    private static final double NANOS = SECONDS.toNanos(1);

    private final RdmaRuntime runtime;
    private final NicContext nic;
    private final Tags device;
    private final List<String> targets = new CopyOnWriteArrayList<>();
    private final List<SessionMeters> bound = new CopyOnWriteArrayList<>();

    /**
     * Creates the meters.
     *
     * @param runtime whose engines count
     * @param nic its device
     */
    public EngineMeters(RdmaRuntime runtime, NicContext nic) {
        this.runtime = runtime;
        this.nic = nic;
        this.device = Tags.of("device", nic.deviceName());
    }

    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        SourceMeters<RdmaRuntime> meters = new SourceMeters<>(registry, runtime, device);
        bindTraffic(meters);
        bindCalls(meters);
        bindTroubles(meters);
        runtime.engineSnapshots().forEach(engine -> bindLoop(meters, engine.thread()));
        bindMemory(meters);
        bindDevice(meters);
        SessionMeters sessions = new SessionMeters(meters);
        sessions.bindServer();
        targets.forEach(sessions::bindTarget);
        bound.add(sessions);
    }

    @Override
    public synchronized void onTarget(String target) {
        if (!targets.contains(target)) {
            targets.add(target);
            bound.forEach(sessions -> sessions.bindTarget(target));
        }
    }

    private void bindTraffic(SourceMeters<RdmaRuntime> meters) {
        meters.counter(RdmaMeter.PACKETS, engine(EngineStatistics::packetsSent), "direction", "sent");
        meters.counter(RdmaMeter.PACKETS, engine(EngineStatistics::packetsReceived), "direction", "received");
        meters.counter(RdmaMeter.BYTES, engine(EngineStatistics::bytesSent), "direction", "sent");
        meters.counter(RdmaMeter.BYTES, engine(EngineStatistics::bytesReceived), "direction", "received");
        meters.counter(RdmaMeter.MESSAGES, traffic(TrafficStatistics::messagesSent));
        meters.counter(RdmaMeter.MESSAGES_BUNDLED, traffic(TrafficStatistics::messagesBundled));
        meters.counter(RdmaMeter.READS, engine(EngineStatistics::reads));
        meters.counter(RdmaMeter.READ_BYTES, engine(EngineStatistics::readBytes));
        meters.gauge(RdmaMeter.READS_WAITING, traffic(TrafficStatistics::readsWaiting));
        meters.gauge(RdmaMeter.READS_IN_FLIGHT, traffic(TrafficStatistics::readsInFlight));
        meters.gauge(RdmaMeter.CREDITS_LENT, traffic(TrafficStatistics::creditsLent));
        meters.gauge(RdmaMeter.TIMERS, traffic(TrafficStatistics::timersArmed));
    }

    private void bindCalls(SourceMeters<RdmaRuntime> meters) {
        meters.counter(RdmaMeter.CALLS, engine(EngineStatistics::callsStarted), "state", "started");
        meters.counter(RdmaMeter.CALLS, engine(EngineStatistics::callsCompleted), "state", "answered");
        meters.counter(RdmaMeter.CALLS, engine(EngineStatistics::callsFailed), "state", "failed");
        meters.counter(RdmaMeter.REQUESTS, engine(EngineStatistics::requestsReceived));
        meters.gauge(RdmaMeter.CALLS_IN_FLIGHT, EngineMeters::callsInFlight, "role", "client");
        meters.gauge(RdmaMeter.CALLS_IN_FLIGHT, RdmaRuntime::executingCalls, "role", "server");
        meters.counter(RdmaMeter.CALLS_CANCELLED, activity(ActivityStatistics::callsCancelled), "role", "client");
        meters.counter(RdmaMeter.CALLS_CANCELLED, activity(ActivityStatistics::requestsCancelled), "role", "server");
        meters.gauge(RdmaMeter.BACKLOG, traffic(TrafficStatistics::backlog));
        meters.counter(RdmaMeter.STALLS, traffic(TrafficStatistics::windowStalls), "reason", "window");
        meters.counter(RdmaMeter.STALLS, traffic(TrafficStatistics::creditStalls), "reason", "credit");
        meters.counter(RdmaMeter.STALLS, traffic(TrafficStatistics::pacingStalls), "reason", "pacing");
        meters.counter(RdmaMeter.STREAMS_OPENED, activity(ActivityStatistics::streamsOpened));
        meters.gauge(RdmaMeter.STREAMS, source -> source.activity().streamsOpen());
    }

    private static double callsInFlight(RdmaRuntime source) {
        EngineStatistics statistics = source.statistics();
        return Math.max(0, statistics.callsStarted() - statistics.callsCompleted() - statistics.callsFailed());
    }

    private void bindTroubles(SourceMeters<RdmaRuntime> meters) {
        meters.counter(RdmaMeter.RETRANSMISSIONS, engine(EngineStatistics::retransmissions));
        meters.counter(RdmaMeter.DUPLICATES, engine(EngineStatistics::duplicates));
        for (String reason : runtime.statistics().drops().keySet()) {
            meters.counter(
                    RdmaMeter.DROPS,
                    engine(statistics -> statistics.drops().getOrDefault(reason, 0L)),
                    "reason",
                    reason);
        }
        for (RefusalCode reason : RefusalCode.values()) {
            meters.counter(
                    RdmaMeter.REFUSALS,
                    source -> source.refusals().getOrDefault(reason, 0L),
                    "reason",
                    reason.name().toLowerCase(Locale.ROOT));
        }
        meters.counter(RdmaMeter.REFUSALS, RdmaRuntime::tlsFailures, "reason", "tls");
        meters.counter(RdmaMeter.FALLBACKS, source -> source.fallbacks().called(), "role", "client");
        meters.counter(RdmaMeter.FALLBACKS, source -> source.fallbacks().served(), "role", "server");
        meters.counter(RdmaMeter.DATAGRAM_FAILURES, traffic(TrafficStatistics::datagramFailures));
    }

    private void bindLoop(SourceMeters<RdmaRuntime> meters, String thread) {
        ToDoubleFunction<EngineSnapshot> busy = engine -> engine.traffic().busyNanos() / NANOS;
        ToDoubleFunction<EngineSnapshot> all = engine -> engine.traffic().turnNanos() / NANOS;
        meters.counter(
                RdmaMeter.POLL_ITERATIONS, of(thread, engine -> engine.engine().loopIterations()), "thread", thread);
        meters.counter(RdmaMeter.POLL_TIME, of(thread, busy), "thread", thread, "state", "busy");
        meters.counter(
                RdmaMeter.POLL_TIME,
                of(thread, engine -> Math.max(0, all.applyAsDouble(engine) - busy.applyAsDouble(engine))),
                "thread",
                thread,
                "state",
                "idle");
        meters.gauge(
                RdmaMeter.POLL_UTILISATION,
                of(thread, engine -> engine.traffic().utilisation()),
                "thread",
                thread);
        meters.gauge(
                RdmaMeter.POLL_LAST_TURN,
                of(thread, engine -> engine.sinceLastTurn().toNanos() / NANOS),
                "thread",
                thread);
    }

    private static ToDoubleFunction<RdmaRuntime> of(String thread, ToDoubleFunction<EngineSnapshot> value) {
        return runtime -> runtime.engineSnapshots().stream()
                .filter(engine -> engine.thread().equals(thread))
                .mapToDouble(value)
                .sum();
    }

    private void bindMemory(SourceMeters<RdmaRuntime> meters) {
        meters.gauge(RdmaMeter.MEMORY_REGISTERED, RdmaRuntime::registeredBytes);
        meters.gauge(RdmaMeter.MEMORY_LIMIT, RdmaRuntime::memoryLimitBytes);
        meters.gauge(RdmaMeter.MEMORY_USED, source -> source.memory().inUseBytes());
        meters.gauge(RdmaMeter.MEMORY_CHUNKS, source -> source.memory().chunks());
    }

    private void bindDevice(SourceMeters<RdmaRuntime> meters) {
        meters.gauge(RdmaMeter.PORT_ACTIVE, source -> source.deviceProblem() == null ? 1 : 0);
        for (String name : deviceCounters(nic).keySet()) {
            meters.counter(
                    RdmaMeter.DEVICE_COUNTER, source -> deviceCounters(nic).getOrDefault(name, 0L), "counter", name);
        }
    }

    private static Map<String, Long> deviceCounters(NicContext nic) {
        return nic.context().counters(nic.portNumber());
    }

    private static ToDoubleFunction<RdmaRuntime> engine(ToLongFunction<EngineStatistics> value) {
        return source -> value.applyAsLong(source.statistics());
    }

    private static ToDoubleFunction<RdmaRuntime> traffic(ToLongFunction<TrafficStatistics> value) {
        return source -> value.applyAsLong(source.traffic());
    }

    private static ToDoubleFunction<RdmaRuntime> activity(ToLongFunction<ActivityStatistics> value) {
        return source -> value.applyAsLong(source.activity());
    }
}
