package io.rdmarpc.rpc.error;

/** The method ran on the peer and threw, or the peer could not run it. Carries the peer's words. */
public class RdmaRemoteException extends RdmaRpcException {

    private static final long serialVersionUID = 1L;

    private final String remoteType;

    /**
     * Creates the failure.
     *
     * @param status how the call ended
     * @param remoteType class name of what was thrown there, empty when nothing was
     * @param message the peer's message
     */
    public RdmaRemoteException(RpcStatus status, String remoteType, String message) {
        super(status, message);
        this.remoteType = remoteType;
    }

    /**
     * Returns the class of what the remote method threw.
     *
     * @return its name, empty when the failure was not an exception of the method
     */
    public String remoteType() {
        return remoteType;
    }
}
