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
 * Leases by id and by deadline. Times are from a monotonic clock. Control thread; {@link #size} any thread.
 */
public final class LeaseTable {

    /** The value of {@link #nanosToNext} without leases. */
    static final long NEVER = Long.MAX_VALUE;

    private final Map<Long, LentRegion> byId = new ConcurrentHashMap<>();
    private final TreeSet<LentRegion> byDeadline = new TreeSet<>(LeaseTable::endsBefore);

    /** Compares by difference, because the clock may overflow. */
    private static int endsBefore(LentRegion one, LentRegion other) {
        int byTime = Long.signum(one.deadlineNanos() - other.deadlineNanos());
        return byTime != 0 ? byTime : Long.compare(one.id(), other.id());
    }

    void add(LentRegion region, long deadlineNanos) {
        region.deadline(deadlineNanos);
        byId.put(region.id(), region);
        byDeadline.add(region);
    }

    /** Finds a region by id if this holder has it; otherwise returns null. */
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

    /** Removes and returns all leases whose deadline has passed. */
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

    /** Returns all leases in the order of their deadlines. */
    Stream<LentRegion> stream() {
        return byDeadline.stream();
    }

    boolean has(LentRegion region) {
        return byId.containsKey(region.id());
    }

    /** Returns the time until the next lease expires, in nanoseconds. */
    long nanosToNext(long nowNanos) {
        return byDeadline.isEmpty() ? NEVER : Math.max(0, byDeadline.first().deadlineNanos() - nowNanos);
    }

    /** Returns the remaining time of a lease, zero after its end. */
    public static Duration remaining(long deadlineNanos, long nowNanos) {
        return Duration.ofNanos(Math.max(0, deadlineNanos - nowNanos));
    }

    int size() {
        return byId.size();
    }
}
