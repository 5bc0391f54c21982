package io.rdmarpc.remote;

import io.rdmarpc.remote.RemoteMemoryException.Reason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Grants that have not ended, opened or not. Of those that have, the last ones are remembered by their secret alone, so
 * that a token used twice is known as such. Control thread; {@link #size} any thread.
 */
final class GrantTable {

    private static final Comparator<Secret> BY_SECRET =
            Comparator.comparingLong(Secret::high).thenComparingLong(Secret::low);

    /** How many secrets of grants that have ended are remembered. */
    static final int REMEMBERED = 4096;

    private final Map<Secret, RegionGrant> bySecret = new ConcurrentHashMap<>();
    private final TreeSet<RegionGrant> byDeadline = new TreeSet<>(GrantTable::endsBefore);
    private final Map<Secret, Reason> ended = new LinkedHashMap<>();

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

    /** All, those that end first at the beginning. */
    Stream<RegionGrant> stream() {
        return byDeadline.stream();
    }

    boolean has(RegionGrant grant) {
        return bySecret.containsKey(grant.token().secret());
    }

    /** Takes out what has ended, and remembers why its token opens nothing any more. */
    void end(RegionGrant grant, Reason why) {
        remove(grant);
        ended.put(grant.token().secret(), why);
        if (ended.size() > REMEMBERED) {
            ended.remove(ended.keySet().iterator().next());
        }
    }

    /** Tells why a token opens nothing any more; null when that is not known, or was forgotten. */
    @Nullable
    Reason endOf(Secret secret) {
        return ended.get(secret);
    }

    /** Ends those whose lease is over. */
    List<RegionGrant> endDue(long nowNanos) {
        List<RegionGrant> due = new ArrayList<>();
        while (!byDeadline.isEmpty() && byDeadline.first().deadlineNanos() - nowNanos <= 0) {
            RegionGrant first = byDeadline.first();
            end(first, first.opened() == null ? Reason.EXPIRED : Reason.USED_TOKEN);
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
