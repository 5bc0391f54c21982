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
 * Grants that have not ended, opened or not. The secrets of the last {@value #REMEMBERED} ended grants are kept, so
 * that a second use of a token is recognized. Control thread; {@link #size} any thread.
 */
final class GrantTable {

    private static final Comparator<TokenSecret> BY_SECRET =
            Comparator.comparingLong(TokenSecret::high).thenComparingLong(TokenSecret::low);

    /** Maximum number of remembered secrets of ended grants. */
    static final int REMEMBERED = 4096;

    private final Map<TokenSecret, LocalGrant> bySecret = new ConcurrentHashMap<>();
    private final TreeSet<LocalGrant> byDeadline = new TreeSet<>(GrantTable::endsBefore);
    private final Map<TokenSecret, Reason> ended = new LinkedHashMap<>();

    /** Compares by difference, because the clock may overflow. */
    private static int endsBefore(LocalGrant one, LocalGrant other) {
        int byTime = Long.signum(one.deadlineNanos() - other.deadlineNanos());
        return byTime != 0 ? byTime : BY_SECRET.compare(one.secret(), other.secret());
    }

    void add(LocalGrant grant) {
        bySecret.put(grant.secret(), grant);
        byDeadline.add(grant);
    }

    /** Removes a grant; returns false if it was removed before. */
    boolean remove(LocalGrant grant) {
        byDeadline.remove(grant);
        return bySecret.remove(grant.secret(), grant);
    }

    @Nullable
    LocalGrant find(TokenSecret secret) {
        return bySecret.get(secret);
    }

    /** Returns all grants in the order of their deadlines. */
    Stream<LocalGrant> stream() {
        return byDeadline.stream();
    }

    boolean has(LocalGrant grant) {
        return bySecret.containsKey(grant.secret());
    }

    /** Removes a grant and remembers why its token cannot be opened any more. */
    void end(LocalGrant grant, Reason why) {
        remove(grant);
        ended.put(grant.secret(), why);
        if (ended.size() > REMEMBERED) {
            ended.remove(ended.keySet().iterator().next());
        }
    }

    /** Returns why a token cannot be opened any more; null if the table has no record of the token. */
    @Nullable
    Reason endOf(TokenSecret secret) {
        return ended.get(secret);
    }

    /** Ends and returns all grants whose lease has expired. */
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

    /** Returns the time until the next grant expires, in nanoseconds. */
    long nanosToNext(long nowNanos) {
        return byDeadline.isEmpty()
                ? LeaseTable.NEVER
                : Math.max(0, byDeadline.first().deadlineNanos() - nowNanos);
    }

    int size() {
        return bySecret.size();
    }
}
