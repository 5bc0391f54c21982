package io.rdmarpc.async;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Operations that have ended under a lock and whose futures are completed after it. One thread. */
final class EndedOperations {

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
            operation.release();
        }
        for (Operation<?> operation = first; operation != null; operation = operation.nextEnded) {
            operation.deliver(executor);
        }
        first = null;
        last = null;
    }
}
