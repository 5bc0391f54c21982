package io.rdmarpc.service;

import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RpcStatus;
import org.jspecify.annotations.Nullable;

/** A failure of the remote method with the decoded details of its exception. */
public final class RdmaDetailedRemoteException extends RdmaRemoteException {

    private static final long serialVersionUID = 1L;

    private final transient DetailedFailure failure;
    private final transient @Nullable Object details;

    /**
     * Creates the failure.
     *
     * @param status the status of the call
     * @param failure the declared exception
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
     * Returns the declared exception.
     *
     * @return the failure
     */
    public DetailedFailure failure() {
        return failure;
    }

    /**
     * Returns the details of the exception.
     *
     * @return the details, null if the exception had none
     */
    public @Nullable Object details() {
        return details;
    }
}
