package io.rdmarpc.service.observation;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.rdmarpc.rpc.error.RefusalCode;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.client.TargetListener;
import io.rdmarpc.transport.NicContext;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * What engines and device count, as meters. They are read when someone asks; nothing is recorded while the engines work.
 */
public final class EngineMeters implements MeterBinder, TargetListener {

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
        meters.counter(RdmaMeter.PACKETS, RuntimeReading.PACKETS_SENT, "direction", "sent");
        meters.counter(RdmaMeter.PACKETS, RuntimeReading.PACKETS_RECEIVED, "direction", "received");
        meters.counter(RdmaMeter.BYTES, RuntimeReading.BYTES_SENT, "direction", "sent");
        meters.counter(RdmaMeter.BYTES, RuntimeReading.BYTES_RECEIVED, "direction", "received");
        meters.counter(RdmaMeter.MESSAGES, RuntimeReading.MESSAGES_SENT);
        meters.counter(RdmaMeter.MESSAGES_BUNDLED, RuntimeReading.MESSAGES_BUNDLED);
        meters.counter(RdmaMeter.READS, RuntimeReading.READS);
        meters.counter(RdmaMeter.READ_BYTES, RuntimeReading.READ_BYTES);
        meters.gauge(RdmaMeter.READS_WAITING, RuntimeReading.READS_WAITING);
        meters.gauge(RdmaMeter.READS_IN_FLIGHT, RuntimeReading.READS_IN_FLIGHT);
        meters.gauge(RdmaMeter.CREDITS_LENT, RuntimeReading.CREDITS_LENT);
        meters.gauge(RdmaMeter.TIMERS, RuntimeReading.TIMERS_ARMED);
    }

    private void bindCalls(SourceMeters<RdmaRuntime> meters) {
        meters.counter(RdmaMeter.CALLS, RuntimeReading.CALLS_STARTED, "state", "started");
        meters.counter(RdmaMeter.CALLS, RuntimeReading.CALLS_COMPLETED, "state", "answered");
        meters.counter(RdmaMeter.CALLS, RuntimeReading.CALLS_FAILED, "state", "failed");
        meters.counter(RdmaMeter.REQUESTS, RuntimeReading.REQUESTS_RECEIVED);
        meters.gauge(RdmaMeter.CALLS_IN_FLIGHT, RuntimeReading.CALLS_IN_FLIGHT, "role", "client");
        meters.gauge(RdmaMeter.CALLS_IN_FLIGHT, RuntimeReading.REQUESTS_EXECUTING, "role", "server");
        meters.counter(RdmaMeter.CALLS_CANCELLED, RuntimeReading.CALLS_CANCELLED, "role", "client");
        meters.counter(RdmaMeter.CALLS_CANCELLED, RuntimeReading.REQUESTS_CANCELLED, "role", "server");
        meters.gauge(RdmaMeter.BACKLOG, RuntimeReading.BACKLOG);
        meters.counter(RdmaMeter.STALLS, RuntimeReading.WINDOW_STALLS, "reason", "window");
        meters.counter(RdmaMeter.STALLS, RuntimeReading.CREDIT_STALLS, "reason", "credit");
        meters.counter(RdmaMeter.STALLS, RuntimeReading.PACING_STALLS, "reason", "pacing");
        meters.counter(RdmaMeter.STREAMS_OPENED, RuntimeReading.STREAMS_OPENED);
        meters.gauge(RdmaMeter.STREAMS, RuntimeReading.STREAMS_OPEN);
    }

    private void bindTroubles(SourceMeters<RdmaRuntime> meters) {
        meters.counter(RdmaMeter.RETRANSMISSIONS, RuntimeReading.RETRANSMISSIONS);
        meters.counter(RdmaMeter.DUPLICATES, RuntimeReading.DUPLICATES);
        for (String reason : runtime.statistics().drops().keySet()) {
            meters.counter(
                    RdmaMeter.DROPS, source -> source.statistics().drops().getOrDefault(reason, 0L), "reason", reason);
        }
        for (RefusalCode reason : RefusalCode.values()) {
            meters.counter(
                    RdmaMeter.REFUSALS,
                    source -> source.refusals().getOrDefault(reason, 0L),
                    "reason",
                    reason.name().toLowerCase(Locale.ROOT));
        }
        meters.counter(RdmaMeter.REFUSALS, RuntimeReading.TLS_FAILURES, "reason", "tls");
        meters.counter(RdmaMeter.ACCESS_ERRORS, RuntimeReading.ACCESS_ERRORS);
        meters.counter(RdmaMeter.FALLBACKS, RuntimeReading.FALLBACKS_CALLED, "role", "client");
        meters.counter(RdmaMeter.FALLBACKS, RuntimeReading.FALLBACKS_SERVED, "role", "server");
        meters.counter(RdmaMeter.DATAGRAM_FAILURES, RuntimeReading.DATAGRAM_FAILURES);
        meters.counter(RdmaMeter.READS_STALLED, RuntimeReading.READS_STALLED);
    }

    private void bindLoop(SourceMeters<RdmaRuntime> meters, String thread) {
        meters.counter(RdmaMeter.POLL_ITERATIONS, LoopReading.TURNS.of(thread), "thread", thread);
        meters.counter(RdmaMeter.POLL_TIME, LoopReading.BUSY_SECONDS.of(thread), "thread", thread, "state", "busy");
        meters.counter(RdmaMeter.POLL_TIME, LoopReading.IDLE_SECONDS.of(thread), "thread", thread, "state", "idle");
        meters.gauge(RdmaMeter.POLL_UTILISATION, LoopReading.UTILISATION.of(thread), "thread", thread);
        meters.gauge(RdmaMeter.POLL_LAST_TURN, LoopReading.SECONDS_SINCE_LAST_TURN.of(thread), "thread", thread);
    }

    private void bindMemory(SourceMeters<RdmaRuntime> meters) {
        meters.gauge(RdmaMeter.MEMORY_REGISTERED, RuntimeReading.MEMORY_REGISTERED);
        meters.gauge(RdmaMeter.MEMORY_LIMIT, RuntimeReading.MEMORY_LIMIT);
        meters.gauge(RdmaMeter.MEMORY_USED, RuntimeReading.MEMORY_IN_USE);
        meters.gauge(RdmaMeter.MEMORY_CHUNKS, RuntimeReading.MEMORY_CHUNKS);
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
