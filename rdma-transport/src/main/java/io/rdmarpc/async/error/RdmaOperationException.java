package io.rdmarpc.async.error;

import io.rdmarpc.verbs.error.RdmaException;
import io.rdmarpc.verbs.wr.CompletionStatus;
import org.jspecify.annotations.Nullable;

/** An operation failed. Says which one, how long it was, what the device answered and what to do. */
public class RdmaOperationException extends RdmaException {

    private static final long serialVersionUID = 1L;

    /** The {@link #status()} of an operation that the device did not carry out. */
    public static final int NO_STATUS = -1;

    private final RdmaOperation operation;
    private final long bytes;
    private final int status;
    private final int vendorError;
    private final String remedy;

    /**
     * What an operation was and how far it came.
     *
     * @param operation which one
     * @param bytes bytes of the local slice, 8 for an atomic
     * @param status a {@link CompletionStatus}, or {@link #NO_STATUS}
     * @param vendorError the device's own error number, 0 for none
     */
    public record Facts(RdmaOperation operation, long bytes, int status, int vendorError) {}

    /**
     * Creates the failure.
     *
     * @param facts which operation, and how far it came
     * @param message what happened, and where
     * @param remedy what to do next
     * @param cause the underlying failure, null for none
     */
    public RdmaOperationException(Facts facts, String message, String remedy, @Nullable Throwable cause) {
        super(message + ". " + remedy, cause);
        this.operation = facts.operation;
        this.bytes = facts.bytes;
        this.status = facts.status;
        this.vendorError = facts.vendorError;
        this.remedy = remedy;
    }

    /**
     * Returns what was tried.
     *
     * @return the operation
     */
    public RdmaOperation operation() {
        return operation;
    }

    /**
     * Returns how long it was.
     *
     * @return bytes of the local slice, 8 for an atomic
     */
    public long bytes() {
        return bytes;
    }

    /**
     * Returns how the device ended it.
     *
     * @return a {@link CompletionStatus}, or {@link #NO_STATUS}
     */
    public int status() {
        return status;
    }

    /**
     * Returns the status in words.
     *
     * @return such as {@code REM_ACCESS_ERR (10)}, empty without one
     */
    public String statusName() {
        return status == NO_STATUS ? "" : CompletionStatus.describe(status);
    }

    /**
     * Returns the device's own error code.
     *
     * @return the vendor error, 0 without one
     */
    public int vendorError() {
        return vendorError;
    }

    /**
     * Returns what to do.
     *
     * @return one or two sentences
     */
    public String remedy() {
        return remedy;
    }
}
