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
 * Local memory that is sent to peers in messages. Each message has its own grant, so that a call can be retried
 * although a token opens only once. All grants end with this lease. Any thread.
 */
final class LocalLease implements Lease {

    /** Makes a grant whose lease begins now. */
    interface Grants {
        LocalGrant make(LocalSlice slice, Duration lease);
    }

    private final MemoryCore core;
    private final LocalSlice slice;
    private final Set<RemoteRight> rights;
    private final Grants grants;

    // Guarded by this.
    private final List<LocalGrant> made = new ArrayList<>();
    /** The first grant. It keeps the memory registered if the region is closed before the first message is sent. */
    private @Nullable LocalGrant unsent;

    private long deadlineNanos;
    private @Nullable CompletableFuture<Void> closed;

    /**
     * Makes the first grant. Its token was not sent yet.
     *
     * @param core the remote memory that the lease belongs to
     * @param slice the memory to lend
     * @param rights the rights of the peers
     * @param lease the duration of the lease
     * @param grants makes a grant for each message
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
        return CompletableFuture.failedFuture(localOnly());
    }

    @Override
    public RemoteMemoryRange range(long offset, long bytes) {
        throw localOnly();
    }

    @Override
    public int slot() {
        throw localOnly();
    }

    private RdmaRemoteMemoryException localOnly() {
        return new RdmaRemoteMemoryException(
                Reason.RIGHTS,
                this + " can only be sent to peers. In this process use its LocalRegion. No operation was posted.");
    }

    @Override
    public synchronized CompletableFuture<Void> renew(long leaseNanos) {
        if (closed != null || remainingNanos() <= 0) {
            return CompletableFuture.failedFuture(ended());
        }
        deadlineNanos = core.clock().nanoTime() + leaseNanos;
        made.forEach(grant -> grant.renew(Duration.ofNanos(leaseNanos)));
        return CompletableFuture.completedFuture(null);
    }

    private RdmaRemoteMemoryException ended() {
        return new RdmaRemoteMemoryException(
                closed == null ? Reason.EXPIRED : Reason.CLOSED,
                this + " cannot be sent: " + (closed == null ? "its lease has expired" : "it was closed")
                        + ". Lend it again.");
    }

    /** Returns a future that completes as soon as no peer has access any more. */
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
            throw ended();
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
