package io.rdmarpc.rpc.error;

/** A server is there and does not take the session; {@link #code()} says why. */
public class RdmaRefusedException extends RdmaRpcException {

    private static final long serialVersionUID = 1L;

    private final RefusalCode code;

    /**
     * Creates the failure.
     *
     * @param code why
     * @param message the server's words, and the next step
     */
    public RdmaRefusedException(RefusalCode code, String message) {
        super(RpcStatus.UNAVAILABLE, message);
        this.code = code;
    }

    /**
     * Returns why the server refused.
     *
     * @return the code from the control channel
     */
    public RefusalCode code() {
        return code;
    }
}
