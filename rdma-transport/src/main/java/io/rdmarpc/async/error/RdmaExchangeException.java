package io.rdmarpc.async.error;

import io.rdmarpc.verbs.error.RdmaException;
import org.jspecify.annotations.Nullable;

/** A connection did not come about, or bytes of a peer could not be read. */
public class RdmaExchangeException extends RdmaException {

    private static final long serialVersionUID = 1L;

    /** What kept the two from agreeing. */
    public enum Reason {
        /** Nobody listens there, or there is no way. */
        UNREACHABLE,
        /** The other side did not answer, or nobody came, in time. */
        TIMED_OUT,
        /** What came is not of this protocol. */
        BAD_BYTES,
        /** The other side speaks another version. */
        VERSION,
        /** The other side said no. */
        REFUSED,
        /** The connection of the exchange ended in the middle, or this side was closed. */
        CLOSED
    }

    private final Reason reason;

    /**
     * Creates the failure.
     *
     * @param reason what went wrong
     * @param message what happened, and what to do next
     * @param cause the underlying failure, null for none
     */
    public RdmaExchangeException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /**
     * Returns what went wrong.
     *
     * @return the reason
     */
    public Reason reason() {
        return reason;
    }
}
