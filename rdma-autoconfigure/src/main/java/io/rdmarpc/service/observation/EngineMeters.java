package io.rdmarpc.service.observation;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.client.routing.TargetListener;
import io.rdmarpc.transport.NicContext;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToDoubleFunction;

/**
 * Meters of engines and the device. A registry reads the counters when it publishes; engines do no work for meters.
 * Thread-safe.
 */
public final class EngineMeters implements MeterBinder, TargetListener {

    private static final String ROLE = "role";
    private static final String CLIENT = "client";
    private static final String SERVER = "server";
    private static final String REASON = "reason";
    private static final String DIRECTION = "direction";

    /** The engine counts calls rejected for overload among dropped packets; here they have a separate meter. */
    private static final String OVERLOAD = "overload";

    private final RdmaRuntime runtime;
    private final NicContext nic;
    private final Tags device;
    private final List<String> targets = new CopyOnWriteArrayList<>();
    private final List<SessionMeters> bound = new CopyOnWriteArrayList<>();

    /**
     * Creates the meters.
     *
     * @param runtime the runtime with the engines
     * @param nic the device of the engines
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
        bindFailures(meters);
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

    private static void bindTraffic(SourceMeters<RdmaRuntime> meters) {
        meters.counter(RdmaMeter.PACKETS, RuntimeReading.PACKETS_SENT, DIRECTION, "sent");
        meters.counter(RdmaMeter.PACKETS, RuntimeReading.PACKETS_RECEIVED, DIRECTION, "received");
        meters.counter(RdmaMeter.BYTES, RuntimeReading.BYTES_SENT, DIRECTION, "sent");
        meters.counter(RdmaMeter.BYTES, RuntimeReading.BYTES_RECEIVED, DIRECTION, "received");
        meters.counter(RdmaMeter.MESSAGES, RuntimeReading.MESSAGES_SENT);
        meters.counter(RdmaMeter.MESSAGES_BATCHED, RuntimeReading.MESSAGES_BATCHED);
        meters.counter(RdmaMeter.READS, RuntimeReading.READS);
        meters.counter(RdmaMeter.READ_BYTES, RuntimeReading.READ_BYTES);
        meters.gauge(RdmaMeter.READS_QUEUED, RuntimeReading.READS_QUEUED);
        meters.gauge(RdmaMeter.READS_ACTIVE, RuntimeReading.READS_ACTIVE);
        meters.gauge(RdmaMeter.CREDITS_BORROWED, RuntimeReading.CREDITS_BORROWED);
        meters.gauge(RdmaMeter.TIMERS, RuntimeReading.TIMERS_ARMED);
    }

    private static void bindCalls(SourceMeters<RdmaRuntime> meters) {
        meters.counter(RdmaMeter.CALLS, RuntimeReading.CALLS_SENT, ROLE, CLIENT);
        meters.counter(RdmaMeter.CALLS, RuntimeReading.CALLS_RECEIVED, ROLE, SERVER);
        meters.counter(RdmaMeter.CALLS_FAILED, RuntimeReading.CALLS_FAILED, ROLE, CLIENT);
        meters.counter(RdmaMeter.CALLS_REJECTED, dropped(OVERLOAD), ROLE, SERVER);
        meters.gauge(RdmaMeter.CALLS_ACTIVE, RuntimeReading.CALLS_AT_PEERS, ROLE, CLIENT);
        meters.gauge(RdmaMeter.CALLS_ACTIVE, RuntimeReading.CALLS_EXECUTING, ROLE, SERVER);
        meters.gauge(RdmaMeter.CALLS_QUEUED, RuntimeReading.CALLS_QUEUED, ROLE, CLIENT);
        meters.counter(RdmaMeter.CALLS_DELAYED, RuntimeReading.WINDOW_STALLS, ROLE, CLIENT, REASON, "window");
        meters.counter(RdmaMeter.CALLS_DELAYED, RuntimeReading.CREDIT_STALLS, ROLE, CLIENT, REASON, "credit");
        meters.counter(RdmaMeter.CALLS_DELAYED, RuntimeReading.PACING_STALLS, ROLE, CLIENT, REASON, "pacing");
        meters.counter(RdmaMeter.STREAMS, RuntimeReading.STREAMS_OPENED);
        meters.gauge(RdmaMeter.STREAMS_ACTIVE, RuntimeReading.STREAMS_OPEN);
    }

    private void bindFailures(SourceMeters<RdmaRuntime> meters) {
        meters.counter(RdmaMeter.RETRANSMISSIONS, RuntimeReading.RETRANSMISSIONS);
        meters.counter(RdmaMeter.DUPLICATES, RuntimeReading.DUPLICATES);
        for (String reason : runtime.statistics().drops().keySet()) {
            if (!reason.equals(OVERLOAD)) {
                meters.counter(RdmaMeter.PACKETS_DROPPED, dropped(reason), REASON, reason);
            }
        }
        for (SessionRejectReason reason : SessionRejectReason.values()) {
            meters.counter(
                    RdmaMeter.SESSIONS_REJECTED,
                    source -> source.rejections().getOrDefault(reason, 0L),
                    REASON,
                    reason.name().toLowerCase(Locale.ROOT));
        }
        meters.counter(RdmaMeter.SESSIONS_REJECTED, RuntimeReading.TLS_FAILURES, REASON, "tls");
        meters.counter(RdmaMeter.MEMORY_ACCESS_ERRORS, RuntimeReading.ACCESS_ERRORS);
        meters.counter(RdmaMeter.SESSION_FALLBACKS, RuntimeReading.FALLBACKS_CALLED, ROLE, CLIENT);
        meters.counter(RdmaMeter.SESSION_FALLBACKS, RuntimeReading.FALLBACKS_SERVED, ROLE, SERVER);
        meters.counter(RdmaMeter.QUEUE_PAIR_FAILURES, RuntimeReading.QUEUE_PAIR_FAILURES);
        meters.counter(RdmaMeter.READ_TIMEOUTS, RuntimeReading.READ_TIMEOUTS);
    }

    private static ToDoubleFunction<RdmaRuntime> dropped(String reason) {
        return source -> source.statistics().drops().getOrDefault(reason, 0L);
    }

    private static void bindLoop(SourceMeters<RdmaRuntime> meters, String thread) {
        meters.counter(RdmaMeter.LOOP_CYCLES, LoopReading.CYCLES.of(thread), "thread", thread);
        meters.counter(RdmaMeter.LOOP_TIME, LoopReading.BUSY_SECONDS.of(thread), "thread", thread, "state", "busy");
        meters.counter(RdmaMeter.LOOP_TIME, LoopReading.IDLE_SECONDS.of(thread), "thread", thread, "state", "idle");
        meters.gauge(RdmaMeter.LOOP_CYCLE_AGE, LoopReading.CYCLE_AGE_SECONDS.of(thread), "thread", thread);
    }

    private static void bindMemory(SourceMeters<RdmaRuntime> meters) {
        meters.gauge(RdmaMeter.MEMORY_REGISTERED, RuntimeReading.MEMORY_REGISTERED);
        meters.gauge(RdmaMeter.MEMORY_MAX, RuntimeReading.MEMORY_MAX);
        meters.gauge(RdmaMeter.MEMORY_USED, RuntimeReading.MEMORY_IN_USE);
        meters.gauge(RdmaMeter.MEMORY_REGIONS, RuntimeReading.MEMORY_REGIONS);
    }

    private void bindDevice(SourceMeters<RdmaRuntime> meters) {
        meters.gauge(RdmaMeter.PORT_ACTIVE, RuntimeReading.PORT_ACTIVE);
        for (String name : deviceCounters(nic).keySet()) {
            meters.counter(
                    RdmaMeter.DEVICE_COUNTER, source -> deviceCounters(nic).getOrDefault(name, 0L), "counter", name);
        }
    }

    private static Map<String, Long> deviceCounters(NicContext nic) {
        return nic.context().counters(nic.portNumber());
    }
}
