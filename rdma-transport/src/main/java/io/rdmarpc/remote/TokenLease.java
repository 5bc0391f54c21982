package io.rdmarpc.remote;

import io.rdmarpc.async.RdmaConnection;
import io.rdmarpc.async.RemoteMemoryRange;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.link.Lease;
import io.rdmarpc.remote.link.RegionLease;
import io.rdmarpc.remote.support.RemoteMemoryFailures;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A region that came with a message: reading the message waits for nobody, the owner is asked when the region is first used.
 * Any thread.
 *
 * <pre>
 *   UNOPENED --(first use)--&gt; OPEN --(free)--&gt; the owner is told
 *      |---(passed on)--&gt; somebody else's
 *      '---(free)-------&gt; opened and freed at once, so that the owner has its memory again
 * </pre>
 */
final class TokenLease implements Lease {

    private final MemoryCore core;
    private final RegionToken token;
    private final Function<RegionToken, CompletableFuture<RegionLease>> opener;
    private volatile @Nullable RegionLease opened;

    // Written under this.
    /** Completed when all that was asked for until now has started. */
    private volatile @Nullable CompletableFuture<RegionLease> ready;

    private volatile @Nullable RdmaRemoteMemoryException over;
    private @Nullable CompletableFuture<Void> freed;

    /**
     * Begins unopened.
     *
     * @param core what it belongs to
     * @param token stands for the region
     * @param opener asks its owner
     */
    TokenLease(MemoryCore core, RegionToken token, Function<RegionToken, CompletableFuture<RegionLease>> opener) {
        this.core = core;
        this.token = token;
        this.opener = opener;
    }

    @Override
    public long bytes() {
        return token.length();
    }

    @Override
    public Set<RemoteRight> rights() {
        return token.rights();
    }

    /** Not known before it is open. */
    @Override
    public long remainingNanos() {
        RegionLease real = opened;
        return real == null ? Long.MAX_VALUE : real.remainingNanos();
    }

    @Override
    public boolean isUsable() {
        RegionLease real = opened;
        return real == null ? mayOpen() : real.isUsable();
    }

    private boolean mayOpen() {
        CompletableFuture<RegionLease> last = ready;
        return over == null && (last == null || !last.isCompletedExceptionally());
    }

    @Override
    public <T> CompletableFuture<T> run(Function<RdmaConnection, CompletableFuture<T>> start, Runnable done) {
        return whenOpen(lease -> lease.run(start, done));
    }

    @Override
    public CompletableFuture<Void> renew(long leaseNanos) {
        return whenOpen(lease -> lease.renew(leaseNanos));
    }

    @Override
    public RemoteMemoryRange place(long offset, long bytes) {
        return open().place(offset, bytes);
    }

    @Override
    public int slot() {
        return open().slot();
    }

    private RegionLease open() {
        RegionLease real = opened;
        if (real == null) {
            throw new IllegalStateException(this + " is not open");
        }
        return real;
    }

    /** Does something with the region, after all that was asked for before. */
    private <T> CompletableFuture<T> whenOpen(Function<RegionLease, CompletableFuture<T>> use) {
        CompletableFuture<RegionLease> last = ready;
        if (last != null && last.isDone() && !last.isCompletedExceptionally()) {
            return use.apply(last.join());
        }
        return later(use);
    }

    private <T> CompletableFuture<T> later(Function<RegionLease, CompletableFuture<T>> use) {
        CompletableFuture<T> told = new CompletableFuture<>();
        CompletableFuture<RegionLease> begun;
        synchronized (this) {
            RdmaRemoteMemoryException why = over;
            if (why != null) {
                return CompletableFuture.failedFuture(why);
            }
            begun = ready().thenApply(lease -> {
                forward(use.apply(lease), told);
                return lease;
            });
            ready = begun;
        }
        var _ = begun.whenComplete((_, failure) -> {
            if (failure != null) {
                told.completeExceptionally(RemoteMemoryFailures.unwrapped(failure));
            }
        });
        return told;
    }

    private static <T> void forward(CompletableFuture<T> operation, CompletableFuture<T> told) {
        var _ = operation.whenComplete((value, failure) -> {
            if (failure == null) {
                told.complete(value);
            } else {
                told.completeExceptionally(RemoteMemoryFailures.unwrapped(failure));
            }
        });
    }

    private CompletableFuture<RegionLease> ready() {
        CompletableFuture<RegionLease> known = ready;
        return known != null
                ? known
                : core.threads().offControlThread(opener.apply(token).thenApply(this::checked));
    }

    /** The token is the sender's word, what is opened the owner's. */
    private RegionLease checked(RegionLease lease) {
        if (lease.bytes() != token.length() || !lease.rights().equals(token.rights())) {
            var _ = lease.free();
            throw new RdmaRemoteMemoryException(
                    Reason.PROTOCOL,
                    this + " is " + lease + " for its owner, which is something else. Have it granted again.");
        }
        opened = lease;
        return lease;
    }

    @Override
    public CompletableFuture<Void> free() {
        CompletableFuture<RegionLease> last;
        CompletableFuture<Void> end;
        synchronized (this) {
            if (freed != null) {
                return freed.copy();
            }
            if (over != null) {
                return CompletableFuture.completedFuture(null);
            }
            last = ready();
            over = new RdmaRemoteMemoryException(Reason.CLOSED, this + " cannot be used: it was given back.");
            end = new CompletableFuture<>();
            freed = end;
        }
        var _ = last.whenComplete((lease, _) -> {
            if (lease == null) {
                // What cannot be opened any more is the owner's already.
                end.complete(null);
            } else {
                forward(lease.free(), end);
            }
        });
        return end.copy();
    }

    /** Its token opens once: for this side, or for whom it is passed on to. */
    @Override
    public synchronized RegionToken token(long offset, long bytes, @Nullable UUID onlyFor) {
        RdmaRemoteMemoryException why = over;
        if (why != null) {
            throw why;
        }
        if (ready != null || bytes != token.length()) {
            throw new RdmaRemoteMemoryException(
                    Reason.USED_TOKEN,
                    this + " cannot be passed on: " + (ready != null ? "it is in use here" : "that is a part of it")
                            + ". Pass on all of a region that was not used, or have its owner lend it.");
        }
        over = new RdmaRemoteMemoryException(Reason.USED_TOKEN, this + " cannot be used: it was passed on.");
        return token;
    }

    @Override
    public String toString() {
        return "a region of " + token.length() + " bytes " + token.rights() + " of " + token.owner();
    }
}
