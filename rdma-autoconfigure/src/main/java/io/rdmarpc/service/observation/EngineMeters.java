package io.rdmarpc.service.observation;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
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
import org.jspecify.annotations.Nullable;

/**
 * What engines and device count, as meters. They are read when someone asks; nothing is recorded while the engines work.
 */
public final class EngineMeters implements MeterBinder, TargetListener {

    private static final double NANOS = SECONDS.toNanos(1);

    private final RdmaRuntime runtime;
    private final NicContext nic;
    private final Tags device;
    private final List<String> targets = new CopyOnWriteArrayList<>();
    private final List<MeterRegistry> registries = new CopyOnWriteArrayList<>();

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
        bindTraffic(registry);
        bindCalls(registry);
        bindTroubles(registry);
        runtime.engineSnapshots().forEach(engine -> bindLoop(registry, engine.thread()));
        bindMemory(registry);
        bindDevice(registry);
        SessionMeters sessions = new SessionMeters(registry, runtime, device);
        sessions.bindServer();
        targets.forEach(sessions::bindTarget);
        registries.add(registry);
    }

    @Override
    public synchronized void onTarget(String target) {
        if (!targets.contains(target)) {
            targets.add(target);
            registries.forEach(registry -> new SessionMeters(registry, runtime, device).bindTarget(target));
        }
    }

    private void bindTraffic(MeterRegistry registry) {
        count(registry, RdmaMeter.PACKETS, EngineStatistics::packetsSent, "direction", "sent");
        count(registry, RdmaMeter.PACKETS, EngineStatistics::packetsReceived, "direction", "received");
        count(registry, RdmaMeter.BYTES, EngineStatistics::bytesSent, "direction", "sent");
        count(registry, RdmaMeter.BYTES, EngineStatistics::bytesReceived, "direction", "received");
        countTraffic(registry, RdmaMeter.MESSAGES, TrafficStatistics::messagesSent);
        countTraffic(registry, RdmaMeter.MESSAGES_BUNDLED, TrafficStatistics::messagesBundled);
        count(registry, RdmaMeter.READS, EngineStatistics::reads);
        count(registry, RdmaMeter.READ_BYTES, EngineStatistics::readBytes);
        gaugeTraffic(registry, RdmaMeter.READS_WAITING, TrafficStatistics::readsWaiting);
        gaugeTraffic(registry, RdmaMeter.READS_IN_FLIGHT, TrafficStatistics::readsInFlight);
        gaugeTraffic(registry, RdmaMeter.CREDITS_LENT, TrafficStatistics::creditsLent);
        gaugeTraffic(registry, RdmaMeter.TIMERS, TrafficStatistics::timersArmed);
    }

    private void bindCalls(MeterRegistry registry) {
        count(registry, RdmaMeter.CALLS, EngineStatistics::callsStarted, "state", "started");
        count(registry, RdmaMeter.CALLS, EngineStatistics::callsCompleted, "state", "answered");
        count(registry, RdmaMeter.CALLS, EngineStatistics::callsFailed, "state", "failed");
        count(registry, RdmaMeter.REQUESTS, EngineStatistics::requestsReceived);
        gauge(registry, RdmaMeter.CALLS_IN_FLIGHT, EngineMeters::callsInFlight, "role", "client");
        gauge(registry, RdmaMeter.CALLS_IN_FLIGHT, RdmaRuntime::executingCalls, "role", "server");
        countActivity(registry, RdmaMeter.CALLS_CANCELLED, ActivityStatistics::callsCancelled, "role", "client");
        countActivity(registry, RdmaMeter.CALLS_CANCELLED, ActivityStatistics::requestsCancelled, "role", "server");
        gaugeTraffic(registry, RdmaMeter.BACKLOG, TrafficStatistics::backlog);
        countTraffic(registry, RdmaMeter.STALLS, TrafficStatistics::windowStalls, "reason", "window");
        countTraffic(registry, RdmaMeter.STALLS, TrafficStatistics::creditStalls, "reason", "credit");
        countTraffic(registry, RdmaMeter.STALLS, TrafficStatistics::pacingStalls, "reason", "pacing");
        countActivity(registry, RdmaMeter.STREAMS_OPENED, ActivityStatistics::streamsOpened);
        gauge(registry, RdmaMeter.STREAMS, source -> source.activity().streamsOpen());
    }

    private static double callsInFlight(RdmaRuntime source) {
        EngineStatistics statistics = source.statistics();
        return Math.max(0, statistics.callsStarted() - statistics.callsCompleted() - statistics.callsFailed());
    }

    private void bindTroubles(MeterRegistry registry) {
        count(registry, RdmaMeter.RETRANSMISSIONS, EngineStatistics::retransmissions);
        count(registry, RdmaMeter.DUPLICATES, EngineStatistics::duplicates);
        for (String reason : runtime.statistics().drops().keySet()) {
            count(
                    registry,
                    RdmaMeter.DROPS,
                    statistics -> statistics.drops().getOrDefault(reason, 0L),
                    "reason",
                    reason);
        }
        for (RefusalCode reason : RefusalCode.values()) {
            counter(
                    registry,
                    RdmaMeter.REFUSALS,
                    source -> source.refusals().getOrDefault(reason, 0L),
                    "reason",
                    reason.name().toLowerCase(Locale.ROOT));
        }
        countTraffic(registry, RdmaMeter.DATAGRAM_FAILURES, TrafficStatistics::datagramFailures);
    }

    private void bindLoop(MeterRegistry registry, String thread) {
        ToDoubleFunction<EngineSnapshot> busy = engine -> engine.traffic().busyNanos() / NANOS;
        ToDoubleFunction<EngineSnapshot> all = engine -> engine.traffic().turnNanos() / NANOS;
        counter(
                registry,
                RdmaMeter.POLL_ITERATIONS,
                of(thread, engine -> engine.engine().loopIterations()),
                "thread",
                thread);
        counter(registry, RdmaMeter.POLL_TIME, of(thread, busy), "thread", thread, "state", "busy");
        counter(
                registry,
                RdmaMeter.POLL_TIME,
                of(thread, engine -> Math.max(0, all.applyAsDouble(engine) - busy.applyAsDouble(engine))),
                "thread",
                thread,
                "state",
                "idle");
        gauge(
                registry,
                RdmaMeter.POLL_UTILISATION,
                of(thread, engine -> engine.traffic().utilisation()),
                "thread",
                thread);
        gauge(
                registry,
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

    private void bindMemory(MeterRegistry registry) {
        gauge(registry, RdmaMeter.MEMORY_REGISTERED, RdmaRuntime::registeredBytes);
        gauge(registry, RdmaMeter.MEMORY_LIMIT, RdmaRuntime::memoryLimitBytes);
        gauge(registry, RdmaMeter.MEMORY_USED, source -> source.memory().inUseBytes());
        gauge(registry, RdmaMeter.MEMORY_CHUNKS, source -> source.memory().chunks());
    }

    private void bindDevice(MeterRegistry registry) {
        gauge(registry, RdmaMeter.PORT_ACTIVE, source -> source.deviceProblem() == null ? 1 : 0);
        for (String name : deviceCounters(nic).keySet()) {
            counter(
                    registry,
                    RdmaMeter.DEVICE_COUNTER,
                    source -> deviceCounters(nic).getOrDefault(name, 0L),
                    "counter",
                    name);
        }
    }

    private static Map<String, Long> deviceCounters(NicContext nic) {
        return nic.context().counters(nic.portNumber());
    }

    private void count(
            MeterRegistry registry, RdmaMeter meter, ToLongFunction<EngineStatistics> value, String... tags) {
        counter(registry, meter, source -> value.applyAsLong(source.statistics()), tags);
    }

    private void countTraffic(
            MeterRegistry registry, RdmaMeter meter, ToLongFunction<TrafficStatistics> value, String... tags) {
        counter(registry, meter, source -> value.applyAsLong(source.traffic()), tags);
    }

    private void countActivity(
            MeterRegistry registry, RdmaMeter meter, ToLongFunction<ActivityStatistics> value, String... tags) {
        counter(registry, meter, source -> value.applyAsLong(source.activity()), tags);
    }

    private void gaugeTraffic(MeterRegistry registry, RdmaMeter meter, ToLongFunction<TrafficStatistics> value) {
        gauge(registry, meter, source -> value.applyAsLong(source.traffic()));
    }

    private void counter(MeterRegistry registry, RdmaMeter meter, ToDoubleFunction<RdmaRuntime> value, String... tags) {
        FunctionCounter.builder(meter.meterName(), runtime, value)
                .description(meter.description())
                .baseUnit(unit(meter))
                .tags(device.and(tags))
                .register(registry);
    }

    private void gauge(MeterRegistry registry, RdmaMeter meter, ToDoubleFunction<RdmaRuntime> value, String... tags) {
        Gauge.builder(meter.meterName(), runtime, value)
                .description(meter.description())
                .baseUnit(unit(meter))
                .tags(device.and(tags))
                .register(registry);
    }

    static @Nullable String unit(RdmaMeter meter) {
        return meter.unit().isEmpty() ? null : meter.unit();
    }
}
