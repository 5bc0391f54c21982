package io.rdmarpc.remote.lender;

import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.remote.support.MemoryThreads;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Ends leases at their deadline. Control thread. */
public final class LeaseExpiry {

    private final Lender lender;
    private final MemoryThreads threads;
    private final NanoClock clock;
    private @Nullable Future<?> next;
    private long nextNanos;
    private boolean closed;

    public LeaseExpiry(Lender lender, MemoryThreads threads, NanoClock clock) {
        this.lender = lender;
        this.threads = threads;
        this.clock = clock;
    }

    /** Schedules the next expiry. Call it after each change of leases or grants. */
    public void schedule() {
        long wait = lender.nanosToNextExpiry();
        if (closed || wait == LeaseTable.NEVER) {
            return;
        }
        long at = clock.nanoTime() + wait;
        Future<?> planned = next;
        if (planned != null && nextNanos - at <= 0) {
            return;
        }
        if (planned != null) {
            planned.cancel(false);
        }
        nextNanos = at;
        next = threads.onControlAfter(wait, this::expire);
    }

    private void expire() {
        next = null;
        try {
            lender.expire();
        } finally {
            schedule();
        }
    }

    /** Cancels the schedule after all leases have ended. */
    public void close() {
        closed = true;
        if (next != null) {
            next.cancel(false);
        }
    }
}
