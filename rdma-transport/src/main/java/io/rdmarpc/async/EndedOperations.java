package io.rdmarpc.async;

import io.rdmarpc.concurrent.FailureLog;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Operations that have ended under a lock and whose futures are completed after it. One thread. */
final class EndedOperations {

    private static final FailureLog FAILURES = new FailureLog(System.getLogger(EndedOperations.class.getName()));

    private @Nullable Operation<?> first;
    private @Nullable Operation<?> last;

    void add(Operation<?> operation) {
        if (last == null) {
            first = operation;
        } else {
            last.nextEnded = operation;
        }
        last = operation;
    }

    /** Frees all slices first: a callback may use the memory of its neighbours. */
    void deliver(@Nullable Executor executor) {
        for (Operation<?> operation = first; operation != null; operation = operation.nextEnded) {
            attempt(operation::release);
        }
        for (Operation<?> operation = first; operation != null; operation = operation.nextEnded) {
            Operation<?> next = operation;
            attempt(() -> next.deliver(executor));
        }
        first = null;
        last = null;
    }

    /** The operations behind this one have ended, too. */
    private static void attempt(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            FAILURES.report("the end of an operation could not be reported", e);
        }
    }
}
