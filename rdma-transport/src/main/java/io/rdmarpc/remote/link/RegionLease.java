package io.rdmarpc.remote.link;

import io.rdmarpc.async.RdmaConnection;
import io.rdmarpc.async.RemoteMemoryRange;
import io.rdmarpc.async.error.RdmaOperationException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.remote.lease.RemoteMemorySnapshot;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.lender.LeaseTable;
import io.rdmarpc.remote.support.RemoteMemoryCounters.Count;
import io.rdmarpc.remote.support.RemoteMemoryFailures;
import io.rdmarpc.remote.wire.LinkMessage;
import io.rdmarpc.verbs.error.RdmaException;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A lease of a peer's memory, shared by a region and all its slices, which end with it. Any thread.
 *
 * <pre>
 *   USABLE --(free)--&gt; no more operations --(the last has ended)--&gt; the owner is notified
 *      '-----(lease over, revoked, peer unreachable)--&gt; no more operations
 * </pre>
 */
public final class RegionLease implements Lease {

    private final LinkContext context;
    private final PeerLink link;
    private final LinkMessage.Lent lent;
    private final CompletableFuture<Void> idle = new CompletableFuture<>();
    private final CompletableFuture<Void> freed = new CompletableFuture<>();
    private final LeaseDeadline deadline;
    private volatile long credited;
    private volatile @Nullable LongConsumer creditConsumer;

    // Guarded by this.
    private int operations;
    private @Nullable Reason closed;

    /**
     * Starts the lease.
     *
     * @param context the remote memory of the lease
     * @param link the link to the owner
     * @param lent the owner's response
     * @param deadline the end of the lease by the local clock
     */
    RegionLease(LinkContext context, PeerLink link, LinkMessage.Lent lent, LeaseDeadline deadline) {
        this.context = context;
        this.link = link;
        this.lent = lent;
        this.deadline = deadline;
    }

    @Override
    public long bytes() {
        return lent.bytes();
    }

    @Override
    public Set<RemoteRight> rights() {
        return lent.rights();
    }

    @Override
    public RemoteMemoryRange range(long offset, long bytes) {
        return RemoteMemoryRange.of(lent.address() + offset, bytes, lent.rkey());
    }

    public RemoteMemorySnapshot.Held describe() {
        return new RemoteMemorySnapshot.Held(
                lent.id(),
                link.account(),
                lent.bytes(),
                lent.rights(),
                LeaseTable.remaining(deadline.nanos(), context.clock().nanoTime()));
    }

    @Override
    public int slot() {
        return lent.slot();
    }

    public PeerLink link() {
        return link;
    }

    /** Sets the consumer of a ring's credits. Credits that arrived before are delivered at once. */
    public void onCredit(LongConsumer newConsumer) {
        creditConsumer = newConsumer;
        if (credited > 0) {
            newConsumer.accept(credited);
        }
    }

    /** Delivers credits of the ring. Control thread. */
    void credit(long records) {
        credited = records;
        LongConsumer consumer = creditConsumer;
        if (consumer != null) {
            consumer.accept(records);
        }
    }

    @Override
    public long remainingNanos() {
        return deadline.remainingNanos();
    }

    @Override
    public synchronized boolean isUsable() {
        return closed == null && remainingNanos() > 0;
    }

    /**
     * Starts an operation of the device. The lease counts it until the device has completed it, even if its future ends
     * first.
     */
    @Override
    public <T> CompletableFuture<T> run(Function<RdmaConnection, CompletableFuture<T>> start, Runnable done) {
        RdmaRemoteMemoryException rejection = begin();
        if (rejection != null) {
            context.counters().add(Count.REJECTED_OPERATIONS);
            return CompletableFuture.failedFuture(rejection);
        }
        CompletableFuture<T> operation = link.path().run(start);
        CompletableFuture<T> result = new CompletableFuture<>();
        var _ = operation.whenComplete((value, failure) -> {
            endOperation();
            if (failure == null) {
                done.run();
                result.complete(value);
            } else {
                context.counters().add(Count.FAILED_OPERATIONS);
                result.completeExceptionally(explained(RemoteMemoryFailures.unwrapped(failure)));
            }
        });
        return result;
    }

    private synchronized @Nullable RdmaRemoteMemoryException begin() {
        Reason why = end();
        if (why != null) {
            return ended(why, null);
        }
        operations++;
        return null;
    }

    /**
     * Reports the end of the lease as the reason for a later access error. An operation that began in time may arrive
     * too late, and the holder's lease ends before the owner's.
     */
    private RdmaException explained(RdmaException failure) {
        if (!(failure instanceof RdmaOperationException operationFailure)
                || operationFailure.status() != CompletionStatus.REM_ACCESS_ERR) {
            return failure;
        }
        Reason why = end();
        return why == null ? failure : ended(why, failure);
    }

    /** Returns why no operation may begin; null if one may. */
    private synchronized @Nullable Reason end() {
        if (closed != null) {
            return closed;
        }
        return remainingNanos() <= 0 ? Reason.EXPIRED : null;
    }

    private RdmaRemoteMemoryException ended(Reason why, @Nullable RdmaException cause) {
        String what = switch (why) {
            case EXPIRED -> "its lease has expired. Renew leases in time, or allocate again";
            case LOST -> "its owner is unreachable. Allocate again";
            default -> "it was freed, or its owner revoked it. Allocate again";
        };
        return new RdmaRemoteMemoryException(why, this + " cannot be used: " + what + ".", cause);
    }

    private void endOperation() {
        boolean last;
        synchronized (this) {
            operations--;
            last = closed != null && operations == 0;
        }
        if (last) {
            idle.complete(null);
        }
    }

    @Override
    public CompletableFuture<Void> renew(long leaseNanos) {
        RdmaRemoteMemoryException rejection = begin();
        if (rejection != null) {
            return CompletableFuture.failedFuture(rejection);
        }
        LeaseDeadline.Renewal renewal = deadline.beginRenewal(leaseNanos);
        return link.renew(lent.id(), leaseNanos).handle((given, failure) -> {
            endOperation();
            if (failure != null) {
                renewal.failed();
                throw RemoteMemoryFailures.unwrapped(failure);
            }
            renewal.agreed(given);
            return null;
        });
    }

    /** Rejects further operations, and frees the region at the owner after all have ended. A second call only waits. */
    @Override
    public CompletableFuture<Void> free() {
        if (close(Reason.CLOSED)) {
            var _ = idle.thenCompose(
                            _ -> link.isOpen() ? link.free(lent.id()) : CompletableFuture.completedFuture(null))
                    .whenComplete((_, failure) -> {
                        if (failure == null) {
                            freed.complete(null);
                        } else {
                            freed.completeExceptionally(RemoteMemoryFailures.unwrapped(failure));
                        }
                    });
            return freed.copy();
        }
        return wasFreed() ? freed.copy() : idle.copy();
    }

    private synchronized boolean wasFreed() {
        return closed == Reason.CLOSED;
    }

    /** Ends the lease because the owner revoked it or is unreachable; the owner is not notified. */
    void revoke(Reason why) {
        close(why);
        freed.complete(null);
    }

    /** Rejects further operations; returns false if it was closed before. */
    private boolean close(Reason why) {
        boolean last;
        synchronized (this) {
            if (closed != null) {
                return false;
            }
            closed = why;
            last = operations == 0;
        }
        if (last) {
            idle.complete(null);
        }
        return true;
    }

    /** Always throws: the owner knows only this process as the holder. */
    @Override
    public RegionToken token(long offset, long bytes, @Nullable UUID onlyFor) {
        throw new RdmaRemoteMemoryException(
                Reason.USED_TOKEN,
                this
                        + " cannot be passed on: it is lent to this process only. Let its owner lend it to the other "
                        + "process.");
    }

    @Override
    public String toString() {
        return "region " + lent.id() + " of " + lent.bytes() + " bytes " + lent.rights() + " at " + link;
    }
}
