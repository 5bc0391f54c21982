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
    /** The peer is gone, unreachable or closing; the method may or may not have run. */
    UNAVAILABLE(6, true),
    /** Too many calls are waiting; the method has not run. */
    BACKPRESSURE(7, true),
    /** The message is longer than allowed. */
    MESSAGE_TOO_LARGE(8, false),
    /** The caller gave up. */
    CANCELLED(9, false),
    /** The peer failed inside. */
    INTERNAL(10, false),
    /** The server has too much to do; the method has not run. */
    OVERLOADED(11, true),
    /** The arguments are not what the method takes. */
    INVALID_ARGUMENT(12, false),
    /** What the call is about does not exist. */
    NOT_FOUND(13, false),
    /** What the call is about is not in a state for it. */
    CONFLICT(14, false),
    /** The server does not know who calls. */
    UNAUTHENTICATED(15, false),
    /** The server knows who calls, and that caller may not. */
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
     * Tells whether trying again may help, given that running the method twice does no harm.
     *
     * @return true when it may
     */
    public boolean isRetryable() {
        return retryable;
    }

    /**
     * Finds the status of a number; the constants are declared in the order of their numbers.
     *
     * @param code the number on the wire
     * @return the status, {@link #INTERNAL} for one this version does not know
     */
    public static RpcStatus of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : INTERNAL;
    }
}
