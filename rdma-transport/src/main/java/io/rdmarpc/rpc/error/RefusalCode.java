package io.rdmarpc.rpc.error;

/** Why a server does not take a connection or a session, as it travels on the control channel. */
public enum RefusalCode {
    /** The versions have nothing in common. */
    VERSION(0, false),
    /** The verbs providers of the two sides, or their addresses, do not reach each other. */
    PROVIDER(1, false),
    /** The server has as many sessions as its receive ring has entries for: one each, and a few to spare. */
    RING_EXHAUSTED(2, true),
    /** The server is closing. */
    CLOSING(3, true),
    /** The server failed inside, and any code this version does not know. */
    INTERNAL(4, true),
    /** The server has as many sessions as it takes. */
    SESSION_LIMIT(5, true),
    /** As many connections as the server takes have not finished their handshake. */
    HANDSHAKE_LIMIT(6, true),
    /** The client's host has as many sessions as the server takes from one. */
    PEER_SESSION_LIMIT(7, true),
    /** The client's host has as much of the server's memory lent to it as one may have. */
    PEER_BYTES_LIMIT(8, true),
    /** The request to open a session was seen before, and its session is another connection's or has ended. */
    DUPLICATE(9, true),
    /** The client did not prove that it knows the shared token. */
    UNAUTHENTICATED(10, false),
    /** The server's device or port does not work. */
    DEVICE(11, true),
    /** The client has accessed memory that was not lent to it, several times. */
    ACCESS_ERRORS(12, true);

    private static final RefusalCode[] BY_CODE = values();

    private final int code;
    private final boolean retryable;

    RefusalCode(int code, boolean retryable) {
        this.code = code;
        this.retryable = retryable;
    }

    /**
     * Returns the number on the wire.
     *
     * @return 0 to 255
     */
    public int code() {
        return code;
    }

    /**
     * Tells whether a later attempt may succeed without a change of settings.
     *
     * @return false when it will not
     */
    public boolean isRetryable() {
        return retryable;
    }

    /**
     * Finds the reason of a number; the constants are declared in the order of their numbers.
     *
     * @param code the number on the wire
     * @return the reason, {@link #INTERNAL} for one this version does not know
     */
    public static RefusalCode of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : INTERNAL;
    }
}
