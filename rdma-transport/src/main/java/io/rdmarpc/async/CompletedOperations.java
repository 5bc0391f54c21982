package io.rdmarpc.async;

import io.rdmarpc.concurrent.FailureLog;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Collects operations that end while a lock is held. Their futures complete after the lock is released. Not
 * thread-safe.
 */
final class CompletedOperations {

    private static final FailureLog FAILURES = new FailureLog(System.getLogger(CompletedOperations.class.getName()));

    private @Nullable Operation<?> first;
    private @Nullable Operation<?> last;

    void add(Operation<?> operation) {
        if (last == null) {
            first = operation;
        } else {
            last.nextCompleted = operation;
        }
        last = operation;
    }

    /** Releases all slices before the first future completes: a callback may use the memory of another operation. */
    void deliver(@Nullable Executor executor) {
        for (Operation<?> operation = first; operation != null; operation = operation.nextCompleted) {
            release(operation);
        }
        for (Operation<?> operation = first; operation != null; operation = operation.nextCompleted) {
            deliver(operation, executor);
        }
        first = null;
        last = null;
    }

    /** Logs a failure instead of throwing it, so that the remaining operations are released. */
    private static void release(Operation<?> operation) {
        try {
            operation.release();
        } catch (Throwable e) {
            FAILURES.report("Releasing the memory of a completed operation failed", e);
        }
    }

    private static void deliver(Operation<?> operation, @Nullable Executor executor) {
        try {
            operation.deliver(executor);
        } catch (Throwable e) {
            FAILURES.report("Completing the future of an operation failed", e);
        }
    }
}
