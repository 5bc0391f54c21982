package io.rdmarpc.remote.lender;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is lent, by id and by the time it ends. Times are of a monotonic clock. Control thread; {@link #size} any thread.
 */
public final class LeaseTable {

    /** {@link #nanosToNext} when nothing is lent. */
    static final long NEVER = Long.MAX_VALUE;

    private final Map<Long, LentRegion> byId = new ConcurrentHashMap<>();
    private final TreeSet<LentRegion> byDeadline = new TreeSet<>(LeaseTable::endsBefore);

    /** Differences only: the clock may pass the largest number. */
    private static int endsBefore(LentRegion one, LentRegion other) {
        int byTime = Long.signum(one.deadlineNanos() - other.deadlineNanos());
        return byTime != 0 ? byTime : Long.compare(one.id(), other.id());
    }

    void add(LentRegion region, long deadlineNanos) {
        region.deadline(deadlineNanos);
        byId.put(region.id(), region);
        byDeadline.add(region);
    }

    /** Finds what this holder has under the id; null for other holders. */
    @Nullable
    LentRegion find(long id, LeaseHolder holder) {
        LentRegion found = byId.get(id);
        return found != null && found.holder().equals(holder) ? found : null;
    }

    void renew(LentRegion region, long deadlineNanos) {
        byDeadline.remove(region);
        region.deadline(deadlineNanos);
        byDeadline.add(region);
    }

    void remove(LentRegion region) {
        byDeadline.remove(region);
        byId.remove(region.id());
    }

    /** Takes out what has ended. */
    List<LentRegion> removeDue(long nowNanos) {
        List<LentRegion> due = new ArrayList<>();
        while (!byDeadline.isEmpty() && byDeadline.first().deadlineNanos() - nowNanos <= 0) {
            LentRegion first = byDeadline.removeFirst();
            byId.remove(first.id());
            due.add(first);
        }
        return due;
    }

    List<LentRegion> of(LeaseHolder holder) {
        return byId.values().stream()
                .filter(region -> region.holder().equals(holder))
                .toList();
    }

    /** All, those that end first at the beginning. */
    Stream<LentRegion> stream() {
        return byDeadline.stream();
    }

    boolean has(LentRegion region) {
        return byId.containsKey(region.id());
    }

    /** Tells how long nothing ends. */
    long nanosToNext(long nowNanos) {
        return byDeadline.isEmpty() ? NEVER : Math.max(0, byDeadline.first().deadlineNanos() - nowNanos);
    }

    /** Returns how long a lease goes on, zero when it is over. */
    public static Duration remaining(long deadlineNanos, long nowNanos) {
        return Duration.ofNanos(Math.max(0, deadlineNanos - nowNanos));
    }

    int size() {
        return byId.size();
    }
}
