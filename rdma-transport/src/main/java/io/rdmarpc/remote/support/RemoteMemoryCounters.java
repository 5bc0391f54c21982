package io.rdmarpc.remote.support;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counters of remote memory. Any thread. */
public final class RemoteMemoryCounters {

    public enum Count {
        ALLOCATED,
        OPENED,
        RENEWED,
        FREED,
        EXPIRED,
        REVOKED,
        RECLAIMED,
        STUCK,
        NOTIFICATIONS,
        REJECTED_UNKNOWN_TOKEN,
        REJECTED_USED_TOKEN,
        REJECTED_FOREIGN_PEER,
        REJECTED_QUOTA,
        REJECTED_RIGHTS,
        REJECTED_OTHER,
        READS,
        READ_BYTES,
        WRITES,
        WRITTEN_BYTES,
        ATOMICS,
        FAILED_OPERATIONS,
        REJECTED_OPERATIONS
    }

    private final Map<Count, LongAdder> counts = new EnumMap<>(Count.class);

    public RemoteMemoryCounters() {
        for (Count count : Count.values()) {
            counts.put(count, new LongAdder());
        }
    }

    public void add(Count count) {
        add(count, 1);
    }

    public void add(Count count, long howMany) {
        LongAdder adder = counts.get(count);
        if (adder != null) {
            adder.add(howMany);
        }
    }

    public long of(Count count) {
        LongAdder adder = counts.get(count);
        return adder == null ? 0 : adder.sum();
    }
}
