package io.rdmarpc.service;

import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RpcStatus;
import org.jspecify.annotations.Nullable;

/** A failure of the method with the details of its exception, as it was read. */
public final class RdmaDetailedRemoteException extends RdmaRemoteException {

    private static final long serialVersionUID = 1L;

    private final transient DetailedFailure failure;
    private final transient @Nullable Object details;

    /**
     * Creates the failure.
     *
     * @param status how the call ended
     * @param failure which exception it was
     * @param message its message
     * @param details its details
     */
    public RdmaDetailedRemoteException(
            RpcStatus status, DetailedFailure failure, String message, @Nullable Object details) {
        super(status, failure.type().getName(), message);
        this.failure = failure;
        this.details = details;
    }

    /**
     * Returns which exception it was.
     *
     * @return the failure
     */
    public DetailedFailure failure() {
        return failure;
    }

    /**
     * Returns the details of the exception.
     *
     * @return the details, null when the exception had none
     */
    public @Nullable Object details() {
        return details;
    }
}
