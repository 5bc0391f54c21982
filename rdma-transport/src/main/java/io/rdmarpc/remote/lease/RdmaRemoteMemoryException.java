package io.rdmarpc.remote.lease;

import io.rdmarpc.verbs.error.RdmaException;
import org.jspecify.annotations.Nullable;

/** Something about remote memory was refused or lost. {@link #reason()} tells what, the message what to do next. */
public class RdmaRemoteMemoryException extends RdmaException {

    private static final long serialVersionUID = 1L;

    /** Why. */
    public enum Reason {
        /** The owner has never made such a token. */
        UNKNOWN_TOKEN(1, false),
        /** The token was opened before; a token opens once. */
        USED_TOKEN(2, false),
        /** The token was made for another peer. */
        FOREIGN_PEER(3, false),
        /** The lease has ended. */
        EXPIRED(4, false),
        /** The owner lends no more: this peer has, or all peers together have, as much as they may. */
        QUOTA(5, true),
        /** More rights than the owner gives, or than the region has. */
        RIGHTS(6, false),
        /** Not inside of the region. */
        BOUNDS(7, false),
        /** The owner's device or system could not do it. */
        DEVICE(8, true),
        /** The region was given back or taken back. */
        CLOSED(9, false),
        /** The peer is gone, and with it everything that was lent either way. */
        LOST(10, true),
        /** No answer in time. */
        TIMED_OUT(11, true),
        /** What the peer sent is not of this protocol, or of another version. */
        PROTOCOL(12, false),
        /** A file that cannot be mapped, or that the operating system lets no device use in the way asked for. */
        FILE(13, false);

        private final int code;
        private final boolean temporary;

        Reason(int code, boolean temporary) {
            this.code = code;
            this.temporary = temporary;
        }

        /**
         * Returns the number in messages between peers.
         *
         * @return 1 to 255
         */
        public int code() {
            return code;
        }

        /**
         * Finds the reason of a number.
         *
         * @param code the number in a message of a peer
         * @return the reason, {@link #PROTOCOL} for one this version does not know
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
         * Tells whether the same may work later.
         *
         * @return true when trying again makes sense
         */
        public boolean isTemporary() {
            return temporary;
        }
    }

    private final Reason reason;

    /**
     * Creates a failure.
     *
     * @param reason why
     * @param message what happened, and what to do next
     */
    public RdmaRemoteMemoryException(Reason reason, String message) {
        this(reason, message, null);
    }

    /**
     * Creates a failure with a cause.
     *
     * @param reason why
     * @param message what happened, and what to do next
     * @param cause the underlying failure, null for none
     */
    public RdmaRemoteMemoryException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /**
     * Returns why.
     *
     * @return the reason
     */
    public Reason reason() {
        return reason;
    }
}
