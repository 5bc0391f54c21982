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
 * A region that arrived in a message. Decoding the message does not block: the owner is contacted when the region is
 * first used. Any thread.
 *
 * <pre>
 *   UNOPENED --(first use)--&gt; OPEN --(free)--&gt; the owner is notified
 *      |---(passed on)--&gt; the next receiver's
 *      '---(free)-------&gt; opened and freed at once, so that the owner can release its memory
 * </pre>
 */
final class TokenLease implements Lease {

    private final MemoryCore core;
    private final RegionToken token;
    private final Function<RegionToken, CompletableFuture<RegionLease>> opener;
    private volatile @Nullable RegionLease opened;

    // Written under this.
    /** Completes when all operations requested so far have started. */
    private volatile @Nullable CompletableFuture<RegionLease> ready;

    private volatile @Nullable RdmaRemoteMemoryException ended;
    private @Nullable CompletableFuture<Void> freed;

    /**
     * Creates the lease without opening the token.
     *
     * @param core the remote memory that the lease belongs to
     * @param token the token of the region
     * @param opener opens the token at its owner
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

    /** Returns {@link Long#MAX_VALUE} before the token is opened. */
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
        return ended == null && (last == null || !last.isCompletedExceptionally());
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
    public RemoteMemoryRange range(long offset, long bytes) {
        return open().range(offset, bytes);
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

    /** Runs an action with the opened region, after all earlier actions. */
    private <T> CompletableFuture<T> whenOpen(Function<RegionLease, CompletableFuture<T>> use) {
        CompletableFuture<RegionLease> last = ready;
        if (last != null && last.isDone() && !last.isCompletedExceptionally()) {
            return use.apply(last.join());
        }
        return later(use);
    }

    private <T> CompletableFuture<T> later(Function<RegionLease, CompletableFuture<T>> use) {
        CompletableFuture<T> result = new CompletableFuture<>();
        CompletableFuture<RegionLease> started;
        synchronized (this) {
            RdmaRemoteMemoryException why = ended;
            if (why != null) {
                return CompletableFuture.failedFuture(why);
            }
            started = ready().thenApply(lease -> {
                forward(use.apply(lease), result);
                return lease;
            });
            ready = started;
        }
        var _ = started.whenComplete((_, failure) -> {
            if (failure != null) {
                result.completeExceptionally(RemoteMemoryFailures.unwrapped(failure));
            }
        });
        return result;
    }

    private static <T> void forward(CompletableFuture<T> operation, CompletableFuture<T> result) {
        var _ = operation.whenComplete((value, failure) -> {
            if (failure == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(RemoteMemoryFailures.unwrapped(failure));
            }
        });
    }

    private CompletableFuture<RegionLease> ready() {
        CompletableFuture<RegionLease> known = ready;
        return known != null
                ? known
                : core.threads().offControlThread(opener.apply(token).thenApply(this::checked));
    }

    /** Compares the token, which the sender supplied, with the owner's response. */
    private RegionLease checked(RegionLease lease) {
        if (lease.bytes() != token.length() || !lease.rights().equals(token.rights())) {
            var _ = lease.free();
            throw new RdmaRemoteMemoryException(
                    Reason.PROTOCOL,
                    this + " does not match the owner's response, which is " + lease + ". Request a new grant from "
                            + "the owner.");
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
            if (ended != null) {
                return CompletableFuture.completedFuture(null);
            }
            last = ready();
            ended = new RdmaRemoteMemoryException(Reason.CLOSED, this + " cannot be used: it was freed.");
            end = new CompletableFuture<>();
            freed = end;
        }
        var _ = last.whenComplete((lease, _) -> {
            if (lease == null) {
                // A token that cannot be opened any more grants no access, so the owner needs no message to release its
                // memory.
                end.complete(null);
            } else {
                forward(lease.free(), end);
            }
        });
        return end.copy();
    }

    /** Passes the token on. It opens once: by this process, or by the next receiver. */
    @Override
    public synchronized RegionToken token(long offset, long bytes, @Nullable UUID onlyFor) {
        RdmaRemoteMemoryException why = ended;
        if (why != null) {
            throw why;
        }
        if (ready != null || bytes != token.length()) {
            throw new RdmaRemoteMemoryException(
                    Reason.USED_TOKEN,
                    this + " cannot be passed on: "
                            + (ready != null ? "this process uses it" : "that is only a part of it")
                            + ". Pass on a whole region before its first use, or let its owner lend it again.");
        }
        ended = new RdmaRemoteMemoryException(Reason.USED_TOKEN, this + " cannot be used: it was passed on.");
        return token;
    }

    @Override
    public String toString() {
        return "a region of " + token.length() + " bytes " + token.rights() + " of " + token.owner();
    }
}
