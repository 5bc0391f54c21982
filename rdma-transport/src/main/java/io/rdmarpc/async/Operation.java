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
 * One operation and the future its caller holds. The two end separately: whoever completes, cancels or times out the
 * future leaves the operation, which has its local slice from submission until the device is done with it, or until it is
 * withdrawn from the queue before it was posted.
 *
 * <pre>
 *   future:     open ---------- cancelled / timed out / completed
 *   operation:  claims slice -> queued -> posted -> completion -> slice is free -> completes the future
 *                                 \- future ended meanwhile: withdrawn, slice is free
 * </pre>
 */
final class Operation<T> extends CompletableFuture<T> {

    /** Makes the value of an operation that succeeded; called before its slice and slot are given away. */
    interface Result<T> {
        @Nullable
        T of(WorkCompletions completions, int index, MemorySegment scratchWord);
    }

    /** The 8 bytes an atomic works on. */
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

    // Of the thread that ends it.
    @Nullable
    Operation<?> nextCompleted;

    private boolean hasClaim;
    private @Nullable OperationQueue lane;
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

    /** What it was, for an exception of an operation that the device has never seen. */
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

    /** Says where it waits, so that ending its future early can take it out of there. */
    void queuedIn(OperationQueue queue) {
        lane = queue;
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

    /** Takes the slice for itself, unless somebody has it. */
    void claim() {
        if (local != null) {
            local.region().claims().take(this, local);
            hasClaim = true;
        }
    }

    /** Gives the slice back. The device is done with it. */
    void release() {
        if (local != null && hasClaim) {
            hasClaim = false;
            local.region().claims().release(this);
        }
    }

    /** Ends the future, unless somebody has. */
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
        OperationQueue waitingIn = lane;
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
