package io.rdmarpc.service;

import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A failure of the remote method with the decoded fields of its exception. */
public final class RdmaDetailedRemoteException extends RdmaRemoteException {

    private static final long serialVersionUID = 1L;

    private final transient DetailedFailure failure;
    private final transient List<@Nullable Object> fields;

    /**
     * Creates the failure.
     *
     * @param status the status of the call
     * @param failure the declared exception
     * @param message its message
     * @param fields the values of its fields
     */
    public RdmaDetailedRemoteException(
            RpcStatus status, DetailedFailure failure, String message, @Nullable Object... fields) {
        super(status, failure.type().getName(), message);
        this.failure = failure;
        List<@Nullable Object> values = new ArrayList<>(fields.length);
        for (Object each : fields) {
            values.add(each);
        }
        this.fields = Collections.unmodifiableList(values);
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
     * Returns the fields of the exception.
     *
     * @return their values, in the order of {@link DetailedFailure#fields}; elements may be null
     */
    public List<@Nullable Object> fields() {
        return fields;
    }
}
