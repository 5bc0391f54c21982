package io.rdmarpc.async;

import io.rdmarpc.concurrent.FailureLog;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Operations that have ended under a lock and whose futures are completed after it. One thread. */
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

    /** Frees all slices first: a callback may use the memory of its neighbours. */
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

    /** A failure ends here: the next operations have ended, too. */
    private static void release(Operation<?> operation) {
        try {
            operation.release();
        } catch (Throwable e) {
            FAILURES.report("the memory of an operation that has ended could not be freed", e);
        }
    }

    private static void deliver(Operation<?> operation, @Nullable Executor executor) {
        try {
            operation.deliver(executor);
        } catch (Throwable e) {
            FAILURES.report("the end of an operation could not be reported", e);
        }
    }
}
