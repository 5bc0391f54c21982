package io.rdmarpc.remote.lender;

import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.wire.TokenSecret;
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

    private static final Comparator<TokenSecret> BY_SECRET =
            Comparator.comparingLong(TokenSecret::high).thenComparingLong(TokenSecret::low);

    /** How many secrets of grants that have ended are remembered. */
    static final int REMEMBERED = 4096;

    private final Map<TokenSecret, LocalGrant> bySecret = new ConcurrentHashMap<>();
    private final TreeSet<LocalGrant> byDeadline = new TreeSet<>(GrantTable::endsBefore);
    private final Map<TokenSecret, Reason> ended = new LinkedHashMap<>();

    /** Differences only: the clock may pass the largest number. */
    private static int endsBefore(LocalGrant one, LocalGrant other) {
        int byTime = Long.signum(one.deadlineNanos() - other.deadlineNanos());
        return byTime != 0 ? byTime : BY_SECRET.compare(one.secret(), other.secret());
    }

    void add(LocalGrant grant) {
        bySecret.put(grant.secret(), grant);
        byDeadline.add(grant);
    }

    /** False when its lease was over before. */
    boolean remove(LocalGrant grant) {
        byDeadline.remove(grant);
        return bySecret.remove(grant.secret(), grant);
    }

    @Nullable
    LocalGrant find(TokenSecret secret) {
        return bySecret.get(secret);
    }

    /** All, those that end first at the beginning. */
    Stream<LocalGrant> stream() {
        return byDeadline.stream();
    }

    boolean has(LocalGrant grant) {
        return bySecret.containsKey(grant.secret());
    }

    /** Takes out what has ended, and remembers why its token opens nothing any more. */
    void end(LocalGrant grant, Reason why) {
        remove(grant);
        ended.put(grant.secret(), why);
        if (ended.size() > REMEMBERED) {
            ended.remove(ended.keySet().iterator().next());
        }
    }

    /** Tells why a token opens nothing any more; null when that is not known, or was forgotten. */
    @Nullable
    Reason endOf(TokenSecret secret) {
        return ended.get(secret);
    }

    /** Ends those whose lease is over. */
    List<LocalGrant> endDue(long nowNanos) {
        List<LocalGrant> due = new ArrayList<>();
        while (!byDeadline.isEmpty() && byDeadline.first().deadlineNanos() - nowNanos <= 0) {
            LocalGrant first = byDeadline.first();
            end(first, first.opened() == null ? Reason.EXPIRED : Reason.USED_TOKEN);
            due.add(first);
        }
        return due;
    }

    List<LocalGrant> removeAll() {
        List<LocalGrant> all = List.copyOf(byDeadline);
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
