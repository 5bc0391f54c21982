package io.rdmarpc.remote.support;

import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.verbs.error.RdmaException;
import java.util.concurrent.CompletionException;

/** Converts the failures of futures into {@link RdmaException}s. */
public final class RemoteMemoryFailures {

    private RemoteMemoryFailures() {}

    public static RdmaRemoteMemoryException closed() {
        return new RdmaRemoteMemoryException(Reason.CLOSED, "Remote memory was closed on this side. Open it again.");
    }

    public static RdmaException unwrapped(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause instanceof RdmaException known
                ? known
                : new RdmaRemoteMemoryException(Reason.LOST, "Remote memory failed: " + cause, cause);
    }
}
