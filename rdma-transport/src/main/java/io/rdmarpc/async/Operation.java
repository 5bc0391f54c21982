package io.rdmarpc.async;

import io.rdmarpc.async.error.RdmaOperation;
import io.rdmarpc.async.error.RdmaOperationException;
import io.rdmarpc.async.error.RdmaOperationException.Facts;
import io.rdmarpc.verbs.error.RdmaException;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * An operation and the future that its caller holds. The two end independently. Completing, cancelling or timing out
 * the future does not end a posted operation. The operation keeps its local slice from submission until the device has
 * completed it. An operation that was not posted is withdrawn from the queue and releases its slice.
 *
 * <pre>
 *   future:     open ---------- cancelled / timed out / completed
 *   operation:  claims slice -> queued -> posted -> completion -> slice is free -> completes the future
 *                                 \- future ended first: withdrawn, slice is free
 * </pre>
 */
final class Operation<T> extends CompletableFuture<T> {

    /** Creates the value of a successful operation. Called before its slice and slot are released. */
    interface Result<T> {
        @Nullable
        T of(WorkCompletions completions, int index, MemorySegment scratchWord);
    }

    /** Length in bytes of the remote memory that an atomic changes. */
    static final int ATOMIC_BYTES = 8;

    private final RdmaOperation kind;
    private final @Nullable LocalSlice local;
    private final @Nullable RemoteMemoryRange remote;
    private final Result<T> resultOf;

    int immediate;
    long firstOperand;
    long secondOperand;

    // Guarded by the claims of the region.
    @Nullable
    Operation<?> previousClaim;

    @Nullable
    Operation<?> nextClaim;

    // Used by the thread that ends the operation.
    @Nullable
    Operation<?> nextCompleted;

    private boolean hasClaim;
    private @Nullable OperationQueue queue;
    private @Nullable T value;
    private @Nullable RdmaException failure;

    Operation(RdmaOperation kind, @Nullable LocalSlice local, @Nullable RemoteMemoryRange remote, Result<T> resultOf) {
        this.kind = kind;
        this.local = local;
        this.remote = remote;
        this.resultOf = resultOf;
    }

    RdmaOperation kind() {
        return kind;
    }

    /** Returns the operation's data for an exception. The operation was not posted and therefore has no status. */
    Facts neverPosted() {
        return new Facts(kind(), bytes(), RdmaOperationException.NO_STATUS, 0);
    }

    @Nullable
    LocalSlice local() {
        return local;
    }

    @Nullable
    RemoteMemoryRange remote() {
        return remote;
    }

    long bytes() {
        return local == null ? ATOMIC_BYTES : local.length();
    }

    /** Sets the queue in which the operation waits, so that ending the future early can withdraw it. */
    void queuedIn(OperationQueue waitingQueue) {
        queue = waitingQueue;
    }

    void succeed(WorkCompletions completions, int index, MemorySegment scratchWord) {
        value = resultOf.of(completions, index, scratchWord);
    }

    void fail(RdmaException reason) {
        failure = reason;
    }

    boolean hasFailed() {
        return failure != null;
    }

    /** Claims the slice for this operation; throws if another operation uses it. */
    void claim() {
        if (local != null) {
            local.region().claims().take(this, local);
            hasClaim = true;
        }
    }

    /** Releases the slice after the device has finished with it. */
    void release() {
        if (local != null && hasClaim) {
            hasClaim = false;
            local.region().claims().release(this);
        }
    }

    /** Completes the future unless it has ended already. */
    void deliver(@Nullable Executor executor) {
        if (executor == null) {
            completeFuture();
            return;
        }
        try {
            executor.execute(this::completeFuture);
        } catch (RejectedExecutionException e) {
            completeFuture();
        }
    }

    private void completeFuture() {
        if (failure != null) {
            super.completeExceptionally(failure);
        } else {
            super.complete(value);
        }
    }

    private boolean completedEarly(boolean byThis) {
        OperationQueue waitingIn = queue;
        if (byThis && waitingIn != null) {
            waitingIn.withdraw(this);
        }
        return byThis;
    }

    @Override
    public boolean complete(T early) {
        return completedEarly(super.complete(early));
    }

    @Override
    public boolean completeExceptionally(Throwable early) {
        return completedEarly(super.completeExceptionally(early));
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return completedEarly(super.cancel(mayInterruptIfRunning));
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }

    @Override
    public String toString() {
        String where = remote == null ? "" : (kind == RdmaOperation.READ ? " from " : " at ") + remote;
        return kind + " of " + bytes() + " bytes" + where;
    }
}
