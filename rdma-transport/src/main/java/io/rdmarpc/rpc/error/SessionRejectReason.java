package io.rdmarpc.rpc.error;

/**
 * Why a server rejects a connection or a session, as it travels on the control channel. Each reason has the {@link
 * RpcStatus} of the calls that fail because of it, as gRPC's error details have a reason below a status.
 */
public enum SessionRejectReason {
    /** The protocol versions have nothing in common. */
    VERSION(0, RpcStatus.CONTRACT_MISMATCH),
    /** The verbs providers of the two sides, or their addresses, do not reach each other. */
    PROVIDER(1, RpcStatus.CONTRACT_MISMATCH),
    /** The server's receive ring has no entries for another session. */
    RING_EXHAUSTED(2, RpcStatus.UNAVAILABLE),
    /** The server is closing. */
    CLOSING(3, RpcStatus.UNAVAILABLE),
    /** The server failed internally; also any code that this version does not know. */
    INTERNAL(4, RpcStatus.UNAVAILABLE),
    /** The server has its maximum of sessions. */
    SESSION_LIMIT(5, RpcStatus.UNAVAILABLE),
    /** The server has its maximum of connections with an unfinished handshake. */
    HANDSHAKE_LIMIT(6, RpcStatus.UNAVAILABLE),
    /** The client's host has its maximum of sessions. */
    PEER_SESSION_LIMIT(7, RpcStatus.UNAVAILABLE),
    /** The client's host has its maximum of the server's lent memory. */
    PEER_BYTES_LIMIT(8, RpcStatus.UNAVAILABLE),
    /**
     * The server has received this request to open a session before; that session belongs to another connection or has
     * ended.
     */
    DUPLICATE(9, RpcStatus.UNAVAILABLE),
    /** The client did not prove that it knows the shared token. */
    UNAUTHENTICATED(10, RpcStatus.UNAUTHENTICATED),
    /** The server's device or port does not work. */
    DEVICE(11, RpcStatus.UNAVAILABLE),
    /** The client has accessed memory that was not lent to it several times. */
    ACCESS_ERRORS(12, RpcStatus.UNAVAILABLE);

    private static final SessionRejectReason[] BY_CODE = values();

    private final int code;
    private final RpcStatus status;

    SessionRejectReason(int code, RpcStatus status) {
        this.code = code;
        this.status = status;
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
     * Returns the status of calls that fail because of this rejection. {@link RpcStatus#isRetryable()} returns whether
     * a later attempt may succeed without a change of settings.
     *
     * @return the status
     */
    public RpcStatus status() {
        return status;
    }

    /**
     * Returns the reason of a number. The constants are declared in the order of their numbers.
     *
     * @param code the number on the wire
     * @return the reason, {@link #INTERNAL} for a number that this version does not know
     */
    public static SessionRejectReason of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : INTERNAL;
    }
}
