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
 * What this process has of a peer's memory: one for a region and all its slices, so that none outlives it. Any thread.
 *
 * <pre>
 *   USABLE --(free)--&gt; no more operations --(the last has ended)--&gt; the owner is told
 *      '-----(lease over, taken back, peer gone)--&gt; no more operations
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
    private volatile @Nullable LongConsumer creditTaker;

    // Guarded by this.
    private int operations;
    private @Nullable Reason closed;

    /**
     * Begins.
     *
     * @param context what it belongs to
     * @param link the way to the owner
     * @param lent what the owner has said
     * @param deadline when it ends by the own clock
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
    public RemoteMemoryRange place(long offset, long bytes) {
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

    /** Sets who takes credits of a ring. Some may have come before. */
    public void onCredit(LongConsumer newTaker) {
        creditTaker = newTaker;
        if (credited > 0) {
            newTaker.accept(credited);
        }
    }

    /** Control thread. */
    void credit(long records) {
        credited = records;
        LongConsumer taker = creditTaker;
        if (taker != null) {
            taker.accept(records);
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

    /** Starts an operation of the device; the lease knows of it until the device is done, whatever becomes of the future. */
    @Override
    public <T> CompletableFuture<T> run(Function<RdmaConnection, CompletableFuture<T>> start, Runnable done) {
        RdmaRemoteMemoryException rejection = begin();
        if (rejection != null) {
            context.counters().add(Count.REFUSED_OPERATIONS);
            return CompletableFuture.failedFuture(rejection);
        }
        CompletableFuture<T> operation = link.path().run(start);
        CompletableFuture<T> told = new CompletableFuture<>();
        var _ = operation.whenComplete((value, failure) -> {
            endOperation();
            if (failure == null) {
                done.run();
                told.complete(value);
            } else {
                context.counters().add(Count.FAILED_OPERATIONS);
                told.completeExceptionally(explained(RemoteMemoryFailures.unwrapped(failure)));
            }
        });
        return told;
    }

    private synchronized @Nullable RdmaRemoteMemoryException begin() {
        Reason why = end();
        if (why != null) {
            return over(why, null);
        }
        operations++;
        return null;
    }

    /**
     * Names the end of the lease as the reason of a rejection that came after it. An operation that began in time may arrive too late, and
     * the holder's lease ends before the owner's.
     */
    private RdmaException explained(RdmaException failure) {
        if (!(failure instanceof RdmaOperationException refused)
                || refused.status() != CompletionStatus.REM_ACCESS_ERR) {
            return failure;
        }
        Reason why = end();
        return why == null ? failure : over(why, failure);
    }

    /** Returns why no operation may begin, null when one may. */
    private synchronized @Nullable Reason end() {
        if (closed != null) {
            return closed;
        }
        return remainingNanos() <= 0 ? Reason.EXPIRED : null;
    }

    private RdmaRemoteMemoryException over(Reason why, @Nullable RdmaException cause) {
        String what = switch (why) {
            case EXPIRED -> "its lease is over. Renew leases in time, or allocate again";
            case LOST -> "its owner is gone. Allocate again";
            default -> "it was given back, or taken back by its owner. Allocate again";
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

    /** Takes no more operations; when all have ended the owner is told. A second call only waits. */
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

    /** The owner has taken it back, or is gone: there is nobody to give it back to. */
    void revoke(Reason why) {
        close(why);
        freed.complete(null);
    }

    /** Takes no more operations; false when it was closed before. */
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

    /** Its owner knows this process and no other as its holder. */
    @Override
    public RegionToken token(long offset, long bytes, @Nullable UUID onlyFor) {
        throw new RdmaRemoteMemoryException(
                Reason.USED_TOKEN,
                this
                        + " cannot be passed on: it is lent to this process alone. Have its owner lend it to the other one.");
    }

    @Override
    public String toString() {
        return "region " + lent.id() + " of " + lent.bytes() + " bytes " + lent.rights() + " at " + link;
    }
}
