package io.rdmarpc.rpc.engine.context;

import io.rdmarpc.rpc.stats.EngineStatistics;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one engine counts: written by its thread only, read by any without locks. The writes are plain ones: a number of 64 bits is
 * written as a whole on the machines there are, and is seen some time later, which is early enough for statistics.
 */
@SuppressWarnings("EnumOrdinal") // an index into this object's own array, never stored or sent
public final class EngineCounters {

    /** What is counted besides drops. */
    public enum Counter {
        PACKETS_SENT,
        PACKETS_RECEIVED,
        /** Messages in packets sent. */
        MESSAGES_SENT,
        /** Those of them that shared a packet. */
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
        REQUESTS_ANSWERED,
        /** READs of requests and of answers that the other side still waits for; goes down, too. */
        LARGE_UNDER_WAY,
        /** Calls that waited because all slots of their session were taken. */
        WINDOW_STALLS,
        /** Calls that waited for a receive credit at either end. */
        CREDIT_STALLS,
        /** Calls that waited because of their session's rate. */
        PACING_STALLS,
        RETRANSMISSIONS,
        DUPLICATES,
        STREAMS_OPENED,
        /** Streams that time looks after; goes down, too. */
        STREAMS_OPEN,
        /** Calls of this side given up by their callers. */
        CALLS_CANCELLED,
        /** Calls of peers given up by theirs. */
        REQUESTS_CANCELLED,
        /** Times the datagram queue pair failed. */
        DATAGRAM_FAILURES,
        LOOP_ITERATIONS,
        /** Calls waiting; goes down, too. */
        BACKLOG,
        /** Set once per turn, as what follows. */
        CREDITS_LENT,
        READS_WAITING,
        READS_IN_FLIGHT,
        TIMERS_ARMED,
        LAST_TURN,
        TURN_NANOS,
        BUSY_NANOS
    }

    /** Why a packet was not taken. */
    public enum Drop {
        /** Shorter than its header says. */
        SHORT,
        /** A protocol version this engine does not speak. */
        VERSION,
        /** An unknown type, flag or status. */
        TYPE,
        /** No such session. */
        UNKNOWN_SESSION,
        /** The secret is not the session's. */
        COOKIE,
        /** Not from the session's peer. */
        SOURCE,
        /** The length does not fit the packet or the negotiated maximum. */
        LENGTH,
        /** Belongs to a call that is over. */
        STALE,
        /** Out of the protocol's order. */
        STATE,
        /** No memory for the answer; the peer will ask again. */
        NO_BUFFER,
        /** The engine failed on it. */
        INTERNAL,
        /** An answer that came after the caller had given up. */
        LATE_ANSWER,
        /** A call that was refused because the server has too much to do. */
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

    /** Calls of this side that have begun and not ended. Engine thread: elsewhere the numbers do not fit each other. */
    public long callsUnderWay() {
        return get(Counter.CALLS_STARTED) - get(Counter.CALLS_COMPLETED) - get(Counter.CALLS_FAILED);
    }

    /** Any thread: each number right by itself. */
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
