package io.rdmarpc.remote;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Grants whose lease is not over, opened or not, so that a token used twice is known as such. Control thread; {@link
 * #size} any thread.
 */
final class GrantTable {

    private static final Comparator<Secret> BY_SECRET =
            Comparator.comparingLong(Secret::high).thenComparingLong(Secret::low);

    private final Map<Secret, RegionGrant> bySecret = new ConcurrentHashMap<>();
    private final TreeSet<RegionGrant> byDeadline = new TreeSet<>(GrantTable::endsBefore);

    /** Differences only: the clock may pass the largest number. */
    private static int endsBefore(RegionGrant one, RegionGrant other) {
        int byTime = Long.signum(one.deadlineNanos() - other.deadlineNanos());
        return byTime != 0
                ? byTime
                : BY_SECRET.compare(one.token().secret(), other.token().secret());
    }

    void add(RegionGrant grant) {
        bySecret.put(grant.token().secret(), grant);
        byDeadline.add(grant);
    }

    /** False when its lease was over before. */
    boolean remove(RegionGrant grant) {
        byDeadline.remove(grant);
        return bySecret.remove(grant.token().secret(), grant);
    }

    @Nullable
    RegionGrant find(Secret secret) {
        return bySecret.get(secret);
    }

    /** Takes out those whose lease is over. */
    List<RegionGrant> removeDue(long nowNanos) {
        List<RegionGrant> due = new ArrayList<>();
        while (!byDeadline.isEmpty() && byDeadline.first().deadlineNanos() - nowNanos <= 0) {
            RegionGrant first = byDeadline.removeFirst();
            bySecret.remove(first.token().secret());
            due.add(first);
        }
        return due;
    }

    List<RegionGrant> removeAll() {
        List<RegionGrant> all = List.copyOf(byDeadline);
        byDeadline.clear();
        bySecret.clear();
        return all;
    }

    /** Tells how long none ends. */
    long nanosToNext(long nowNanos) {
        return byDeadline.isEmpty()
                ? LeaseTable.NEVER
                : Math.max(0, byDeadline.first().deadlineNanos() - nowNanos);
    }

    int size() {
        return bySecret.size();
    }
}
