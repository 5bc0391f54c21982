package io.rdmarpc.service.observation;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.rdmarpc.rpc.EngineStatistics;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import java.util.function.ToDoubleFunction;

/**
 * What the engine counts, as meters. They are read from its counters when someone asks; nothing is recorded while it works.
 */
public final class EngineMeters implements MeterBinder {

    private final RdmaRuntime runtime;

    /**
     * Creates the meters.
     *
     * @param runtime whose engine counts
     */
    public EngineMeters(RdmaRuntime runtime) {
        this.runtime = runtime;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        bindTraffic(registry);
        bindTroubles(registry);
        bindState(registry);
    }

    private void bindTraffic(MeterRegistry registry) {
        counter("rdma.packets", EngineStatistics::packetsSent)
                .description("Datagrams of the engine")
                .baseUnit("packets")
                .tag("direction", "sent")
                .register(registry);
        counter("rdma.packets", EngineStatistics::packetsReceived)
                .description("Datagrams of the engine")
                .baseUnit("packets")
                .tag("direction", "received")
                .register(registry);
        counter("rdma.bytes", EngineStatistics::bytesSent)
                .description("Headers and payload of the engine's datagrams")
                .baseUnit("bytes")
                .tag("direction", "sent")
                .register(registry);
        counter("rdma.bytes", EngineStatistics::bytesReceived)
                .description("Headers and payload of the engine's datagrams")
                .baseUnit("bytes")
                .tag("direction", "received")
                .register(registry);
        counter("rdma.reads", EngineStatistics::reads)
                .description("RDMA READs that fetched large messages")
                .register(registry);
        counter("rdma.read.bytes", EngineStatistics::readBytes)
                .description("Bytes fetched by RDMA READ")
                .baseUnit("bytes")
                .register(registry);
    }

    private void bindTroubles(MeterRegistry registry) {
        counter("rdma.retransmissions", EngineStatistics::retransmissions)
                .description("Requests sent again because no answer came")
                .register(registry);
        counter("rdma.duplicates", EngineStatistics::duplicates)
                .description("Requests received again")
                .register(registry);
        for (String reason : runtime.statistics().drops().keySet()) {
            counter("rdma.drops", statistics -> statistics.drops().getOrDefault(reason, 0L))
                    .description("Packets dropped")
                    .baseUnit("packets")
                    .tag("reason", reason)
                    .register(registry);
        }
    }

    private void bindState(MeterRegistry registry) {
        counter("rdma.poll.iterations", EngineStatistics::loopIterations)
                .description("Turns of the polling loop")
                .register(registry);
        gauge("rdma.sessions", EngineStatistics::clientSessions)
                .description("Open sessions")
                .baseUnit("sessions")
                .tag("role", "client")
                .register(registry);
        gauge("rdma.sessions", EngineStatistics::serverSessions)
                .description("Open sessions")
                .baseUnit("sessions")
                .tag("role", "server")
                .register(registry);
        gauge("rdma.calls.in.flight", EngineMeters::callsInFlight)
                .description("Calls of this process that have not ended")
                .baseUnit("calls")
                .tag("role", "client")
                .register(registry);
        Gauge.builder("rdma.memory.registered", runtime, RdmaRuntime::registeredBytes)
                .description("Memory registered for messages, the receive ring not counted")
                .baseUnit("bytes")
                .register(registry);
    }

    private static double callsInFlight(EngineStatistics statistics) {
        return Math.max(0, statistics.callsStarted() - statistics.callsCompleted() - statistics.callsFailed());
    }

    private FunctionCounter.Builder<RdmaRuntime> counter(String name, ToDoubleFunction<EngineStatistics> value) {
        return FunctionCounter.builder(name, runtime, source -> value.applyAsDouble(source.statistics()));
    }

    private Gauge.Builder<RdmaRuntime> gauge(String name, ToDoubleFunction<EngineStatistics> value) {
        return Gauge.builder(name, runtime, source -> value.applyAsDouble(source.statistics()));
    }
}
