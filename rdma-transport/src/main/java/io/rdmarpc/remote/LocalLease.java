package io.rdmarpc.remote;

import io.rdmarpc.async.LocalSlice;
import io.rdmarpc.async.RdmaConnection;
import io.rdmarpc.async.RemoteMemoryRange;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.lender.LocalGrant;
import io.rdmarpc.remote.link.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Own memory that goes to peers in messages. Each message has a grant of its own, so that a call can be made again and
 * every token still opens once; all of them end with this lease. Any thread.
 */
final class LocalLease implements Lease {

    /** Makes grants that begin now. */
    interface Grants {
        LocalGrant make(LocalSlice slice, Duration lease);
    }

    private final MemoryCore core;
    private final LocalSlice slice;
    private final Set<RemoteRight> rights;
    private final Grants grants;

    // Guarded by this.
    private final List<LocalGrant> made = new ArrayList<>();
    /** The first one, which keeps the memory although its region may be closed before a message goes out. */
    private @Nullable LocalGrant unsent;

    private long deadlineNanos;
    private @Nullable CompletableFuture<Void> closed;

    /**
     * Begins with a grant that nobody knows of.
     *
     * @param core what it belongs to
     * @param slice what is lent
     * @param rights what the peers may do
     * @param lease how long
     * @param grants makes one for each message
     */
    LocalLease(MemoryCore core, LocalSlice slice, Set<RemoteRight> rights, Duration lease, Grants grants) {
        this.core = core;
        this.slice = slice;
        this.rights = Set.copyOf(rights);
        this.grants = grants;
        this.deadlineNanos = core.clock().nanoTime() + lease.toNanos();
        this.unsent = grants.make(slice, lease);
        made.add(unsent);
    }

    @Override
    public long bytes() {
        return slice.length();
    }

    @Override
    public Set<RemoteRight> rights() {
        return rights;
    }

    @Override
    public synchronized long remainingNanos() {
        return deadlineNanos - core.clock().nanoTime();
    }

    @Override
    public synchronized boolean isUsable() {
        return closed == null && remainingNanos() > 0;
    }

    @Override
    public <T> CompletableFuture<T> run(Function<RdmaConnection, CompletableFuture<T>> start, Runnable done) {
        return CompletableFuture.failedFuture(own());
    }

    @Override
    public RemoteMemoryRange place(long offset, long bytes) {
        throw own();
    }

    @Override
    public int slot() {
        throw own();
    }

    private RdmaRemoteMemoryException own() {
        return new RdmaRemoteMemoryException(
                Reason.RIGHTS,
                this + " is for the peers that it is sent to: here its LocalRegion is used. Nothing was sent.");
    }

    @Override
    public synchronized CompletableFuture<Void> renew(long leaseNanos) {
        if (closed != null || remainingNanos() <= 0) {
            return CompletableFuture.failedFuture(over());
        }
        deadlineNanos = core.clock().nanoTime() + leaseNanos;
        made.forEach(grant -> grant.renew(Duration.ofNanos(leaseNanos)));
        return CompletableFuture.completedFuture(null);
    }

    private RdmaRemoteMemoryException over() {
        return new RdmaRemoteMemoryException(
                closed == null ? Reason.EXPIRED : Reason.CLOSED,
                this + " cannot be sent: " + (closed == null ? "its lease is over" : "it was closed")
                        + ". Lend it again.");
    }

    /** No peer has access any more when it completes. */
    @Override
    public synchronized CompletableFuture<Void> free() {
        CompletableFuture<Void> end = closed;
        if (end == null) {
            end = CompletableFuture.allOf(
                    made.stream().map(LocalGrant::closeAsync).toArray(CompletableFuture<?>[]::new));
            closed = end;
        }
        return end.copy();
    }

    @Override
    public synchronized RegionToken token(long offset, long bytes, @Nullable UUID onlyFor) {
        if (!isUsable()) {
            throw over();
        }
        LocalGrant grant = unsent != null && bytes == slice.length() ? unsent : another(offset, bytes);
        unsent = null;
        grant.onlyFor(onlyFor);
        return grant.token();
    }

    private LocalGrant another(long offset, long bytes) {
        made.removeIf(LocalGrant::hasEnded);
        LocalGrant grant = grants.make(slice.slice(offset, bytes), Duration.ofNanos(remainingNanos()));
        made.add(grant);
        return grant;
    }

    @Override
    public String toString() {
        return "own memory of " + slice.length() + " bytes lent with " + rights;
    }
}
