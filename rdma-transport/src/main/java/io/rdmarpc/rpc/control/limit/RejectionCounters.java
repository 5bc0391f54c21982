package io.rdmarpc.rpc.control.limit;

import io.rdmarpc.rpc.error.SessionRejectReason;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the connections and sessions that this side has rejected, by reason. Thread-safe. */
public final class RejectionCounters {

    private final Map<SessionRejectReason, AtomicLong> counts = new EnumMap<>(SessionRejectReason.class);
    /** Not a code of the wire protocol, because no message can be sent without TLS. */
    private final AtomicLong tls = new AtomicLong();

    public RejectionCounters() {
        for (SessionRejectReason reason : SessionRejectReason.values()) {
            counts.put(reason, new AtomicLong());
        }
    }

    public void count(SessionRejectReason reason) {
        AtomicLong count = counts.get(reason);
        if (count != null) {
            count.incrementAndGet();
        }
    }

    public void countTls() {
        tls.incrementAndGet();
    }

    public long tls() {
        return tls.get();
    }

    public Map<SessionRejectReason, Long> snapshot() {
        Map<SessionRejectReason, Long> snapshot = new EnumMap<>(SessionRejectReason.class);
        counts.forEach((reason, count) -> snapshot.put(reason, count.get()));
        return snapshot;
    }
}
