package io.rdmarpc.service.observation;

import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.rpc.stats.EngineStatistics;
import java.util.function.ToDoubleFunction;

/**
 * Reads a value over all engines of a runtime. It is one enum instead of a lambda for each value, because every lambda
 * is another class to load at startup.
 */
enum RuntimeReading implements ToDoubleFunction<RdmaRuntime> {
    PACKETS_SENT,
    PACKETS_RECEIVED,
    BYTES_SENT,
    BYTES_RECEIVED,
    MESSAGES_SENT,
    MESSAGES_BATCHED,
    READS,
    READ_BYTES,
    READS_QUEUED,
    READS_ACTIVE,
    CREDITS_BORROWED,
    TIMERS_ARMED,
    CALLS_SENT,
    CALLS_FAILED,
    CALLS_AT_PEERS,
    CALLS_RECEIVED,
    CALLS_EXECUTING,
    CALLS_QUEUED,
    WINDOW_STALLS,
    CREDIT_STALLS,
    PACING_STALLS,
    STREAMS_OPENED,
    STREAMS_OPEN,
    RETRANSMISSIONS,
    DUPLICATES,
    TLS_FAILURES,
    ACCESS_ERRORS,
    FALLBACKS_CALLED,
    FALLBACKS_SERVED,
    QUEUE_PAIR_FAILURES,
    READ_TIMEOUTS,
    MEMORY_REGISTERED,
    MEMORY_MAX,
    MEMORY_IN_USE,
    MEMORY_REGIONS,
    PORT_ACTIVE;

    @Override
    public double applyAsDouble(RdmaRuntime source) {
        return switch (this) {
            case PACKETS_SENT -> source.statistics().packetsSent();
            case PACKETS_RECEIVED -> source.statistics().packetsReceived();
            case BYTES_SENT -> source.statistics().bytesSent();
            case BYTES_RECEIVED -> source.statistics().bytesReceived();
            case MESSAGES_SENT -> source.traffic().messagesSent();
            case MESSAGES_BATCHED -> source.traffic().messagesBatched();
            case READS -> source.statistics().reads();
            case READ_BYTES -> source.statistics().readBytes();
            case READS_QUEUED -> source.traffic().readsWaiting();
            case READS_ACTIVE -> source.traffic().readsInFlight();
            case CREDITS_BORROWED -> source.traffic().creditsLent();
            case TIMERS_ARMED -> source.traffic().timersArmed();
            case CALLS_SENT -> source.statistics().callsStarted();
            case CALLS_FAILED -> source.statistics().callsFailed();
            case CALLS_AT_PEERS -> callsInFlight(source.statistics());
            case CALLS_RECEIVED -> source.statistics().requestsReceived();
            case CALLS_EXECUTING -> source.executingCalls();
            case CALLS_QUEUED -> source.traffic().backlog();
            case WINDOW_STALLS -> source.traffic().windowStalls();
            case CREDIT_STALLS -> source.traffic().creditStalls();
            case PACING_STALLS -> source.traffic().pacingStalls();
            case STREAMS_OPENED -> source.activity().streamsOpened();
            case STREAMS_OPEN -> source.activity().streamsOpen();
            case RETRANSMISSIONS -> source.statistics().retransmissions();
            case DUPLICATES -> source.statistics().duplicates();
            case TLS_FAILURES -> source.tlsFailures();
            case ACCESS_ERRORS -> source.accessErrors();
            case FALLBACKS_CALLED -> source.fallbacks().called();
            case FALLBACKS_SERVED -> source.fallbacks().served();
            case QUEUE_PAIR_FAILURES -> source.traffic().datagramFailures();
            case READ_TIMEOUTS -> source.traffic().readsStalled();
            case MEMORY_REGISTERED -> source.registeredBytes();
            case MEMORY_MAX -> source.memoryLimitBytes();
            case MEMORY_IN_USE -> source.memory().inUseBytes();
            case MEMORY_REGIONS -> source.memory().chunks();
            case PORT_ACTIVE -> source.deviceProblem() == null ? 1 : 0;
        };
    }

    /** Returns at least 0, because the three counters are not read at the same instant. */
    private static double callsInFlight(EngineStatistics statistics) {
        return Math.max(0, statistics.callsStarted() - statistics.callsCompleted() - statistics.callsFailed());
    }
}
