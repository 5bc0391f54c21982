package io.rdmarpc.service.observation;

import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.rpc.stats.EngineStatistics;
import java.util.function.ToDoubleFunction;

/**
 * A number that a runtime tells of all its engines. One class, for a lambda each would be as many to load in every start of an
 * application.
 */
enum RuntimeReading implements ToDoubleFunction<RdmaRuntime> {
    PACKETS_SENT,
    PACKETS_RECEIVED,
    BYTES_SENT,
    BYTES_RECEIVED,
    MESSAGES_SENT,
    MESSAGES_BUNDLED,
    READS,
    READ_BYTES,
    READS_WAITING,
    READS_IN_FLIGHT,
    CREDITS_LENT,
    TIMERS_ARMED,
    CALLS_STARTED,
    CALLS_COMPLETED,
    CALLS_FAILED,
    CALLS_IN_FLIGHT,
    CALLS_CANCELLED,
    REQUESTS_RECEIVED,
    REQUESTS_EXECUTING,
    REQUESTS_CANCELLED,
    BACKLOG,
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
    DATAGRAM_FAILURES,
    READS_STALLED,
    MEMORY_REGISTERED,
    MEMORY_LIMIT,
    MEMORY_IN_USE,
    MEMORY_CHUNKS,
    PORT_ACTIVE;

    @Override
    public double applyAsDouble(RdmaRuntime source) {
        return switch (this) {
            case PACKETS_SENT -> source.statistics().packetsSent();
            case PACKETS_RECEIVED -> source.statistics().packetsReceived();
            case BYTES_SENT -> source.statistics().bytesSent();
            case BYTES_RECEIVED -> source.statistics().bytesReceived();
            case MESSAGES_SENT -> source.traffic().messagesSent();
            case MESSAGES_BUNDLED -> source.traffic().messagesBundled();
            case READS -> source.statistics().reads();
            case READ_BYTES -> source.statistics().readBytes();
            case READS_WAITING -> source.traffic().readsWaiting();
            case READS_IN_FLIGHT -> source.traffic().readsInFlight();
            case CREDITS_LENT -> source.traffic().creditsLent();
            case TIMERS_ARMED -> source.traffic().timersArmed();
            case CALLS_STARTED -> source.statistics().callsStarted();
            case CALLS_COMPLETED -> source.statistics().callsCompleted();
            case CALLS_FAILED -> source.statistics().callsFailed();
            case CALLS_IN_FLIGHT -> callsInFlight(source.statistics());
            case CALLS_CANCELLED -> source.activity().callsCancelled();
            case REQUESTS_RECEIVED -> source.statistics().requestsReceived();
            case REQUESTS_EXECUTING -> source.executingCalls();
            case REQUESTS_CANCELLED -> source.activity().requestsCancelled();
            case BACKLOG -> source.traffic().backlog();
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
            case DATAGRAM_FAILURES -> source.traffic().datagramFailures();
            case READS_STALLED -> source.traffic().readsStalled();
            case MEMORY_REGISTERED -> source.registeredBytes();
            case MEMORY_LIMIT -> source.memoryLimitBytes();
            case MEMORY_IN_USE -> source.memory().inUseBytes();
            case MEMORY_CHUNKS -> source.memory().chunks();
            case PORT_ACTIVE -> source.deviceProblem() == null ? 1 : 0;
        };
    }

    /** The counts are not of one moment. */
    private static double callsInFlight(EngineStatistics statistics) {
        return Math.max(0, statistics.callsStarted() - statistics.callsCompleted() - statistics.callsFailed());
    }
}
