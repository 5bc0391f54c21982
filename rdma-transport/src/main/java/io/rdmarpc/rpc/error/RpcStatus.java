package io.rdmarpc.rpc.error;

/** How a call ended, as it travels in the packet header. */
public enum RpcStatus {
    /** The method returned. */
    OK(0, false),
    /** The method threw. */
    HANDLER_FAILED(1, false),
    /** The peer has no such service or method. */
    UNKNOWN_METHOD(2, false),
    /** The peer has the service, but its contract differs. */
    CONTRACT_MISMATCH(3, false),
    /** The request could not be read. */
    INVALID_REQUEST(4, false),
    /** The deadline passed; the method may or may not have run. */
    DEADLINE_EXCEEDED(5, true),
    /** The peer is dead, unreachable or closing; the method may or may not have run. */
    UNAVAILABLE(6, true),
    /** Too many calls are waiting; the method has not run. */
    BACKPRESSURE(7, true),
    /** The message is longer than allowed. */
    MESSAGE_TOO_LARGE(8, false),
    /** The caller cancelled the call. */
    CANCELLED(9, false),
    /** The peer had an internal failure. */
    INTERNAL(10, false),
    /** The server is overloaded; the method has not run. */
    OVERLOADED(11, true),
    /** The arguments are invalid for the method. */
    INVALID_ARGUMENT(12, false),
    /** The entity of the call does not exist. */
    NOT_FOUND(13, false),
    /** The entity of the call is in a state that does not permit it. */
    CONFLICT(14, false),
    /** The server does not know the caller's identity. */
    UNAUTHENTICATED(15, false),
    /** The server knows the caller's identity and does not permit the call. */
    PERMISSION_DENIED(16, false);

    private static final RpcStatus[] BY_CODE = values();

    private final int code;
    private final boolean retryable;

    RpcStatus(int code, boolean retryable) {
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
     * Returns whether a retry may help, provided that running the method twice is harmless.
     *
     * @return true if it may help
     */
    public boolean isRetryable() {
        return retryable;
    }

    /**
     * Returns the status of a number. The constants are declared in the order of their numbers.
     *
     * @param code the number on the wire
     * @return the status, {@link #INTERNAL} for a number that this version does not know
     */
    public static RpcStatus of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : INTERNAL;
    }
}
