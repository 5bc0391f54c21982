package io.rdmarpc.rpc.error;

import org.jspecify.annotations.Nullable;

/**
 * The method has not run and will not run. The server was stopping when the call arrived, or the session ended before
 * the call was sent. A retry is safe for any method.
 */
public class RdmaNotExecutedException extends RdmaUnavailableException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the failure.
     *
     * @param message what was tried, the numbers, and the next step
     */
    public RdmaNotExecutedException(String message) {
        this(message, null);
    }

    /**
     * Creates the failure with a cause.
     *
     * @param message what was tried, the numbers, and the next step
     * @param cause the underlying failure
     */
    public RdmaNotExecutedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
