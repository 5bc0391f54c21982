package io.rdmarpc.rpc.error;

/** The server was reached and rejected the session. {@link #reason()} is the server's reason. */
public class RdmaRejectedException extends RdmaRpcException {

    private static final long serialVersionUID = 1L;

    private final SessionRejectReason reason;

    /**
     * Creates the failure. Its status is that of the reason.
     *
     * @param reason the server's reason
     * @param message the server's explanation, and the next step
     */
    public RdmaRejectedException(SessionRejectReason reason, String message) {
        super(reason.status(), message);
        this.reason = reason;
    }

    /**
     * Returns the server's reason.
     *
     * @return the reason from the control channel
     */
    public SessionRejectReason reason() {
        return reason;
    }
}
