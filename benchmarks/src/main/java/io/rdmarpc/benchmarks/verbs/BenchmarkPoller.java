package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.benchmarks.BenchmarkPollTimeout;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.Arena;

/** Polls a completion queue without a pause, as the C tools do, with a time limit. */
final class BenchmarkPoller {

    private final BenchmarkPollTimeout pollTimeout = new BenchmarkPollTimeout("completion");
    private final CompletionQueue queue;
    private final WorkCompletions completions;

    BenchmarkPoller(Arena arena, CompletionQueue queue, int batch) {
        this.queue = queue;
        this.completions = WorkCompletions.allocate(arena, batch);
    }

    /** Polls until there is at least one completion and returns how many there are. Throws if one has failed. */
    int await() {
        int count = poll();
        while (count == 0) {
            pollTimeout.check();
            count = poll();
        }
        pollTimeout.reset();
        return count;
    }

    /** Polls once and returns the number of completions. Throws if one has failed. */
    int poll() {
        int count = queue.poll(completions, completions.capacity());
        return count == 0 ? 0 : checked(count);
    }

    /** Returns the byte length of the first completion of the last poll. */
    int byteLength() {
        return completions.byteLength(0);
    }

    private int checked(int count) {
        if (count < 0) {
            throw new IllegalStateException("polling the completion queue failed: " + Errno.describe(-count));
        }
        for (int i = 0; i < count; i++) {
            if (completions.status(i) != CompletionStatus.SUCCESS) {
                throw failed(i);
            }
        }
        return count;
    }

    private IllegalStateException failed(int index) {
        return new IllegalStateException("work request " + completions.wrId(index) + " of queue pair "
                + completions.qpNumber(index) + " failed with status "
                + CompletionStatus.describe(completions.status(index))
                + ", vendor error " + completions.vendorError(index));
    }
}
