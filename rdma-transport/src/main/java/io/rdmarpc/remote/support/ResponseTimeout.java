package io.rdmarpc.remote.support;

import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Limits how long a caller waits for a future. After the limit the caller cancels the future, so that a late result is
 * released. If the future completes at that moment, its result is returned.
 *
 * @param responseTimeout how long a peer may take to respond
 */
public record ResponseTimeout(Duration responseTimeout) {

    /** Lower bound of the transfer rate of a device, in bytes per millisecond. */
    private static final long MIN_BYTES_PER_MILLI = 10_000;

    /** Waits for a response. */
    public <T> T await(CompletableFuture<T> future, String what) {
        return await(future, 0, what);
    }

    /** Waits for an operation that transfers this many bytes. */
    public <T> T await(CompletableFuture<T> future, long bytes, String what) {
        // Twice the response timeout, so that the timeout of the request, which has a more precise message, comes
        // first.
        long millis = 2 * responseTimeout.toMillis() + bytes / MIN_BYTES_PER_MILLI;
        try {
            return future.get(millis, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw RemoteMemoryFailures.unwrapped(e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            return cancelOrTake(
                    future,
                    "Timeout after " + millis + " ms while waiting for " + what + ". It may still complete.",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return cancelOrTake(
                    future, "The thread was interrupted while waiting for " + what + ". It may still complete.", e);
        }
    }

    private static <T> T cancelOrTake(CompletableFuture<T> future, String message, Exception reason) {
        if (future.cancel(false)) {
            throw new RdmaRemoteMemoryException(Reason.TIMED_OUT, message, reason);
        }
        try {
            return future.join();
        } catch (CompletionException e) {
            throw RemoteMemoryFailures.unwrapped(e.getCause() == null ? e : e.getCause());
        }
    }
}
