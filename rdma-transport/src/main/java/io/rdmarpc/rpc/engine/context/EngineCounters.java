package io.rdmarpc.rpc.engine.context;

import io.rdmarpc.rpc.stats.EngineStatistics;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The counters of one engine. Only its thread writes them, and any thread reads them without locks. Writes are plain:
 * current machines write 64 bits as a whole. Other threads see them some time later, which is sufficient for
 * statistics.
 */
@SuppressWarnings("EnumOrdinal") // an index into this object's own array, never stored or sent
public final class EngineCounters {

    /** The counters other than dropped packets. */
    public enum Counter {
        PACKETS_SENT,
        PACKETS_RECEIVED,
        /** Messages in sent packets. */
        MESSAGES_SENT,
        /** Sent messages that shared a packet. */
        MESSAGES_BATCHED,
        BYTES_SENT,
        BYTES_RECEIVED,
        READS,
        READ_BYTES,
        /** Sessions that ended because their READs made no progress. */
        READS_STALLED,
        CALLS_STARTED,
        CALLS_COMPLETED,
        CALLS_FAILED,
        REQUESTS_RECEIVED,
        REQUESTS_DISPATCHED,
        REQUESTS_COMPLETED,
        /** Requests that are being READ, and large responses that the client has not released; a gauge. */
        LARGE_IN_PROGRESS,
        /** Calls that waited because all slots of their session were taken. */
        WINDOW_STALLS,
        /** Calls that waited for a receive credit at either end. */
        CREDIT_STALLS,
        /** Calls that waited because congestion control limited their session's rate. */
        PACING_STALLS,
        RETRANSMISSIONS,
        DUPLICATES,
        STREAMS_OPENED,
        /** Streams that have begun and not ended; a gauge. */
        STREAMS_OPEN,
        /** Calls of this side that their callers cancelled. */
        CALLS_CANCELLED,
        /** Calls of peers that were cancelled, or timed out at the client, while they ran. */
        REQUESTS_CANCELLED,
        /** Failures of the datagram queue pair. */
        DATAGRAM_FAILURES,
        LOOP_ITERATIONS,
        /** Calls in the backlogs of their sessions; a gauge. */
        BACKLOG,
        /** Set once per duty cycle, like the following ones. */
        CREDITS_LENT,
        READS_WAITING,
        READS_IN_FLIGHT,
        TIMERS_ARMED,
        LAST_CYCLE,
        CYCLE_NANOS,
        BUSY_NANOS
    }

    /** The reasons why a packet or response is dropped. */
    public enum Drop {
        /** Shorter than its header indicates. */
        SHORT,
        /** A protocol version that this engine does not support. */
        VERSION,
        /** An unknown type, flag or status. */
        TYPE,
        /** The session does not exist. */
        UNKNOWN_SESSION,
        /** The cookie is not the session's. */
        COOKIE,
        /** The sender is not the session's peer. */
        SOURCE,
        /** The length does not fit the packet, or exceeds the negotiated maximum. */
        LENGTH,
        /** Belongs to a call that has ended. */
        STALE,
        /** Violates the order of the protocol. */
        STATE,
        /** No memory for the response; the peer will send again. */
        NO_BUFFER,
        /** An internal failure of the engine. */
        INTERNAL,
        /** A response of a handler after the call was cancelled or timed out. */
        LATE_RESPONSE,
        /** A call that was rejected because of load. */
        OVERLOAD
    }

    private static final VarHandle SLOTS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final Counter[] COUNTERS = Counter.values();
    private static final Drop[] DROPS = Drop.values();

    private final long[] values = new long[COUNTERS.length + DROPS.length];

    public void increment(Counter counter) {
        add(counter, 1);
    }

    public void add(Counter counter, long amount) {
        addAt(counter.ordinal(), amount);
    }

    public void set(Counter counter, long value) {
        values[counter.ordinal()] = value;
    }

    public void drop(Drop reason) {
        addAt(COUNTERS.length + reason.ordinal(), 1);
    }

    private void addAt(int index, long amount) {
        values[index] += amount;
    }

    public long get(Counter counter) {
        return (long) SLOTS.getOpaque(values, counter.ordinal());
    }

    long get(Drop reason) {
        return (long) SLOTS.getOpaque(values, COUNTERS.length + reason.ordinal());
    }

    /**
     * Returns the number of calls of this side that have begun and not ended. Engine thread, because the counters are
     * consistent only there.
     */
    public long callsInProgress() {
        return get(Counter.CALLS_STARTED) - get(Counter.CALLS_COMPLETED) - get(Counter.CALLS_FAILED);
    }

    /** Returns a snapshot. Thread-safe. Each number is correct, but the numbers may be from different moments. */
    public EngineStatistics statistics(int clientSessions, int serverSessions) {
        return new EngineStatistics(
                get(Counter.PACKETS_SENT),
                get(Counter.PACKETS_RECEIVED),
                get(Counter.BYTES_SENT),
                get(Counter.BYTES_RECEIVED),
                get(Counter.READ_BYTES),
                get(Counter.READS),
                get(Counter.CALLS_STARTED),
                get(Counter.CALLS_COMPLETED),
                get(Counter.CALLS_FAILED),
                get(Counter.REQUESTS_RECEIVED),
                get(Counter.RETRANSMISSIONS),
                get(Counter.DUPLICATES),
                drops(),
                clientSessions,
                serverSessions,
                get(Counter.LOOP_ITERATIONS));
    }

    Map<String, Long> drops() {
        Map<String, Long> drops = new TreeMap<>();
        for (Drop reason : DROPS) {
            drops.put(reason.name().toLowerCase(Locale.ROOT), get(reason));
        }
        return drops;
    }
}
