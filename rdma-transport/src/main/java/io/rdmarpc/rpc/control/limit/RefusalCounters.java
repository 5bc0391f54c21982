package io.rdmarpc.rpc.control.limit;

import io.rdmarpc.rpc.error.RefusalCode;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** How often this side has refused a connection or a session, by reason. Any thread. */
public final class RefusalCounters {

    private final Map<RefusalCode, AtomicLong> counts = new EnumMap<>(RefusalCode.class);
    /** Not a code of the wire: without TLS nothing can be said. */
    private final AtomicLong tls = new AtomicLong();

    public RefusalCounters() {
        for (RefusalCode code : RefusalCode.values()) {
            counts.put(code, new AtomicLong());
        }
    }

    public void count(RefusalCode code) {
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

    public Map<RefusalCode, Long> snapshot() {
        Map<RefusalCode, Long> snapshot = new EnumMap<>(RefusalCode.class);
        counts.forEach((code, count) -> snapshot.put(code, count.get()));
        return snapshot;
    }
}
