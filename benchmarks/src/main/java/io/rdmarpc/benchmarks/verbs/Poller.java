package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.CompletionStatus;
import io.rdmarpc.verbs.Errno;
import io.rdmarpc.verbs.WorkCompletions;
import java.lang.foreign.Arena;
import java.time.Duration;

/** Polls a completion queue without a pause, as the C tools do, but not for ever. */
final class Poller {

    private static final long PATIENCE_NANOS = Duration.ofSeconds(60).toNanos();
    private static final int POLLS_PER_LOOK_AT_THE_CLOCK = 1 << 16;

    private final CompletionQueue queue;
    private final WorkCompletions completions;

    Poller(Arena arena, CompletionQueue queue, int batch) {
        this.queue = queue;
        this.completions = WorkCompletions.allocate(arena, batch);
    }

    /** Takes completions until there is at least one; returns how many. All of them were successful. */
    int await() {
        long since = 0;
        for (int polls = 1; ; polls++) {
            int count = queue.poll(completions, completions.capacity());
            if (count != 0) {
                return checked(count);
            }
            if (polls % POLLS_PER_LOOK_AT_THE_CLOCK == 0) {
                since = checkClock(since);
            }
        }
    }

    private int checked(int count) {
        if (count < 0) {
            throw new IllegalStateException("polling failed: " + Errno.describe(-count));
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
                + completions.qpNumber(index) + " ended with " + CompletionStatus.describe(completions.status(index))
                + ", vendor error " + completions.vendorError(index));
    }

    private static long checkClock(long since) {
        long now = System.nanoTime();
        if (since == 0) {
            return now;
        }
        if (now - since > PATIENCE_NANOS) {
            throw new IllegalStateException("no completion for 60 s: a datagram was lost, or the peer has ended");
        }
        return since;
    }
}
