package io.rdmarpc.async.error;

import io.rdmarpc.verbs.error.RdmaException;
import org.jspecify.annotations.Nullable;

/** A connection could not be established, or bytes of a peer could not be decoded. */
public class RdmaExchangeException extends RdmaException {

    private static final long serialVersionUID = 1L;

    /** Why the exchange failed. */
    public enum Reason {
        /** No process listens at the address, or the network has no path to it. */
        UNREACHABLE,
        /** The other side did not respond in time, or no peer connected in time. */
        TIMED_OUT,
        /** The received bytes do not belong to this protocol. */
        BAD_BYTES,
        /** The other side uses another version of the protocol. */
        VERSION,
        /** The other side rejected the connection. */
        REJECTED,
        /** The TCP connection ended during the exchange, or this side was closed. */
        CLOSED
    }

    private final Reason reason;

    /**
     * Creates the failure.
     *
     * @param reason the kind of failure
     * @param message the failure and the next step
     * @param cause the underlying failure, null for none
     */
    public RdmaExchangeException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /**
     * Returns why the exchange failed.
     *
     * @return the reason
     */
    public Reason reason() {
        return reason;
    }
}
