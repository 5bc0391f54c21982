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
 * How long a caller waits for the end of something. Who gives up says so: what comes later goes back. What has come in the
 * moment of giving up is taken.
 *
 * @param answerTimeout how long a peer may take to answer
 */
public record ResponseTimeout(Duration answerTimeout) {

    /** No device is slower than this. */
    private static final long LEAST_BYTES_PER_MILLI = 10_000;

    /** Waits for an answer. */
    public <T> T await(CompletableFuture<T> future, String what) {
        return await(future, 0, what);
    }

    /** Waits for an operation of so many bytes. */
    public <T> T await(CompletableFuture<T> future, long bytes, String what) {
        // The peer's time-out passes first and says more.
        long millis = 2 * answerTimeout.toMillis() + bytes / LEAST_BYTES_PER_MILLI;
        try {
            return future.get(millis, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw RemoteMemoryFailures.unwrapped(e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            return cancelOrTake(future, what + " has not ended within " + millis + " ms. It may end later.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return cancelOrTake(future, "The thread was interrupted waiting for " + what + ". It may end later.", e);
        }
    }

    private static <T> T cancelOrTake(CompletableFuture<T> future, String words, Exception reason) {
        if (future.cancel(false)) {
            throw new RdmaRemoteMemoryException(Reason.TIMED_OUT, words, reason);
        }
        try {
            return future.join();
        } catch (CompletionException e) {
            throw RemoteMemoryFailures.unwrapped(e.getCause() == null ? e : e.getCause());
        }
    }
}
