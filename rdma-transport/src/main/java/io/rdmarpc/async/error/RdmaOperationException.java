package io.rdmarpc.async.error;

import io.rdmarpc.verbs.error.RdmaException;
import io.rdmarpc.verbs.wr.CompletionStatus;
import org.jspecify.annotations.Nullable;

/**
 * An operation failed. The exception contains the operation, its length, the status of the device and the next step.
 */
public class RdmaOperationException extends RdmaException {

    private static final long serialVersionUID = 1L;

    /** The {@link #status()} of an operation that the device did not complete. */
    public static final int NO_STATUS = -1;

    private final RdmaOperation operation;
    private final long bytes;
    private final int status;
    private final int vendorError;
    private final String remedy;

    /**
     * The operation and its progress.
     *
     * @param operation the operation
     * @param bytes bytes of the local slice, 8 for an atomic
     * @param status a {@link CompletionStatus}, or {@link #NO_STATUS}
     * @param vendorError the vendor error of the device, 0 for none
     */
    public record Facts(RdmaOperation operation, long bytes, int status, int vendorError) {}

    /**
     * Creates the failure.
     *
     * @param facts the operation and its progress
     * @param message the failure and its connection
     * @param remedy the next step, as a sentence
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
     * Returns the failed operation.
     *
     * @return the operation
     */
    public RdmaOperation operation() {
        return operation;
    }

    /**
     * Returns the length of the operation.
     *
     * @return bytes of the local slice, 8 for an atomic
     */
    public long bytes() {
        return bytes;
    }

    /**
     * Returns the completion status.
     *
     * @return a {@link CompletionStatus}, or {@link #NO_STATUS}
     */
    public int status() {
        return status;
    }

    /**
     * Returns the name and the number of the status.
     *
     * @return such as {@code REM_ACCESS_ERR (10)}, empty without a status
     */
    public String statusName() {
        return status == NO_STATUS ? "" : CompletionStatus.describe(status);
    }

    /**
     * Returns the vendor error of the device.
     *
     * @return the vendor error, 0 for none
     */
    public int vendorError() {
        return vendorError;
    }

    /**
     * Returns the next step.
     *
     * @return one or two sentences
     */
    public String remedy() {
        return remedy;
    }
}
