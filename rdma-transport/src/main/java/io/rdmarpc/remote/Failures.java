package io.rdmarpc.remote;

import io.rdmarpc.remote.RemoteMemoryException.Reason;
import io.rdmarpc.verbs.RdmaException;
import java.util.concurrent.CompletionException;

/** Brings what futures ended with back into the family. */
final class Failures {

    private Failures() {}

    static RemoteMemoryException closed() {
        return new RemoteMemoryException(Reason.CLOSED, "Remote memory was closed on this side. Open it again.");
    }

    static RdmaException unwrapped(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause instanceof RdmaException known
                ? known
                : new RemoteMemoryException(Reason.LOST, "Remote memory failed: " + cause, cause);
    }
}
