package io.rdmarpc.remote.lease;

import io.rdmarpc.verbs.error.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * A request for remote memory was rejected, or leased memory was lost. {@link #reason()} classifies the cause. The
 * message includes the next step.
 */
public class RdmaRemoteMemoryException extends RdmaException {

    private static final long serialVersionUID = 1L;

    /** Why the request failed. */
    public enum Reason {
        /** The owner has no record of the token. */
        UNKNOWN_TOKEN(1, false),
        /** The token was opened before; a token opens once. */
        USED_TOKEN(2, false),
        /** The token was made for another peer. */
        FOREIGN_PEER(3, false),
        /** The lease has ended. */
        EXPIRED(4, false),
        /** A limit of the owner is reached, for this peer or for all peers together. */
        QUOTA(5, true),
        /** The request needs rights that the owner does not allow, or that the region lacks. */
        RIGHTS(6, false),
        /** The range is not inside the region. */
        BOUNDS(7, false),
        /** The owner's device or operating system failed. */
        DEVICE(8, true),
        /** The holder freed the region, or the owner closed it. */
        CLOSED(9, false),
        /** The peer is unreachable, and all leases in both directions are lost. */
        LOST(10, true),
        /** The peer did not respond in time. */
        TIMED_OUT(11, true),
        /** The peer sent a message that does not belong to this protocol, or to this version of it. */
        PROTOCOL(12, false),
        /** The file cannot be mapped, or the operating system does not let a device access it in this way. */
        FILE(13, false);

        private final int code;
        private final boolean temporary;

        Reason(int code, boolean temporary) {
            this.code = code;
            this.temporary = temporary;
        }

        /**
         * Returns the number of the reason in messages between peers.
         *
         * @return 1 to 255
         */
        public int code() {
            return code;
        }

        /**
         * Returns the reason of a number.
         *
         * @param code the number from a message of a peer
         * @return the reason, {@link #PROTOCOL} for an unknown number
         */
        public static Reason ofCode(int code) {
            for (Reason reason : values()) {
                if (reason.code == code) {
                    return reason;
                }
            }
            return PROTOCOL;
        }

        /**
         * Returns whether the same request may succeed later.
         *
         * @return true if a retry is useful
         */
        public boolean isTemporary() {
            return temporary;
        }
    }

    private final Reason reason;

    /**
     * Creates a failure.
     *
     * @param reason why the request failed
     * @param message what happened, and what to do next
     */
    public RdmaRemoteMemoryException(Reason reason, String message) {
        this(reason, message, null);
    }

    /**
     * Creates a failure with a cause.
     *
     * @param reason why the request failed
     * @param message what happened, and what to do next
     * @param cause the underlying failure, null for none
     */
    public RdmaRemoteMemoryException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /**
     * Returns why the request failed.
     *
     * @return the reason
     */
    public Reason reason() {
        return reason;
    }
}
