package io.rdmarpc.rpc.control.net;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Logs events that remote hosts can repeat, without filling the log. The first event of a kind for a host is logged at
 * its level. Further events within the next minute are counted, and logged at DEBUG. The first event after that minute
 * reports their number. All hosts together get a bounded number of lines per minute. Thread-safe.
 */
public final class RateLimitedLog {

    static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);
    static final int MAX_LINES = 30;

    private static final int MAX_KEYS = 256;

    private final System.Logger log;
    private final LongSupplier nanoClock;
    private final Map<String, Repeats> repeats = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Repeats> eldest) {
            return size() > MAX_KEYS;
        }
    };
    private long minuteBeganNanos;
    private int lines;

    public RateLimitedLog(System.Logger log, LongSupplier nanoClock) {
        this.log = log;
        this.nanoClock = nanoClock;
        this.minuteBeganNanos = nanoClock.getAsLong();
    }

    /** The events of one kind for one host. */
    private static final class Repeats {
        private long quietUntilNanos;
        private int suppressed;
    }

    /**
     * Logs an event.
     *
     * @param level level of the first event
     * @param kind events of one kind are counted together
     * @param host the host that caused the event
     * @param text description of the event
     */
    public void log(System.Logger.Level level, String kind, String host, String text) {
        int before = admit(kind + ' ' + host);
        if (before < 0) {
            log.log(System.Logger.Level.DEBUG, text);
        } else if (before == 0) {
            log.log(level, text);
        } else {
            log.log(level, text + " (and " + before + " more of " + host + " since the last such line)");
        }
    }

    /** Returns how many events of this kind were suppressed before this one; -1 if this one is suppressed, too. */
    private synchronized int admit(String key) {
        long now = nanoClock.getAsLong();
        Repeats known = repeats.get(key);
        boolean quiet = known != null && now - known.quietUntilNanos < 0;
        if (quiet || !hasLine(now)) {
            if (known != null) {
                known.suppressed++;
            }
            return -1;
        }
        Repeats next = known == null ? new Repeats() : known;
        int before = next.suppressed;
        next.suppressed = 0;
        next.quietUntilNanos = now + INTERVAL_NANOS;
        repeats.put(key, next);
        return before;
    }

    private boolean hasLine(long now) {
        if (now - minuteBeganNanos >= INTERVAL_NANOS) {
            minuteBeganNanos = now;
            lines = 0;
        }
        return ++lines <= MAX_LINES;
    }
}
