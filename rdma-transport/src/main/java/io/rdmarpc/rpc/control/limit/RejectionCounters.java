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
        for (SessionRejectReason code : SessionRejectReason.values()) {
            counts.put(code, new AtomicLong());
        }
    }

    public void count(SessionRejectReason code) {
        AtomicLong count = counts.get(code);
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
        counts.forEach((code, count) -> snapshot.put(code, count.get()));
        return snapshot;
    }
}
