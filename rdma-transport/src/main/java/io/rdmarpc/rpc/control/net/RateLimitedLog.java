package io.rdmarpc.rpc.control.net;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Logs events that remote hosts can repeat, without filling the log. The first event of a kind about a host is logged at its level.
 * Those of the next minute are counted and logged at DEBUG, and the next one after that reports their number. All hosts together
 * get a bounded number of lines in a minute. Any thread.
 */
public final class RateLimitedLog {

    static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);
    static final int MOST_LINES = 30;

    private static final int MOST_KEYS = 256;

    private final System.Logger log;
    private final LongSupplier nanoClock;
    private final Map<String, Repeats> repeats = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Repeats> eldest) {
            return size() > MOST_KEYS;
        }
    };
    private long minuteBeganNanos;
    private int lines;

    public RateLimitedLog(System.Logger log, LongSupplier nanoClock) {
        this.log = log;
        this.nanoClock = nanoClock;
        this.minuteBeganNanos = nanoClock.getAsLong();
    }

    /** The events of one kind about one host. */
    private static final class Repeats {
        private long quietUntilNanos;
        private int suppressed;
    }

    /**
     * Logs an event.
     *
     * @param level of the first one
     * @param kind what is counted together
     * @param host about whom
     * @param text what happened
     */
    public void log(System.Logger.Level level, String kind, String host, String text) {
        int before = admit(kind + ' ' + host);
        if (before < 0) {
            log.log(System.Logger.Level.DEBUG, text);
        } else if (before == 0) {
            log.log(level, text);
        } else {
            log.log(level, text + " (and " + before + " more of " + host + " since the last line about it)");
        }
    }

    /** How many of its kind were not told before this one; -1 when this one is not told either. */
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
        return ++lines <= MOST_LINES;
    }
}
