package io.rdmarpc.rpc.error;

/** The method ran on the peer and threw, or the peer could not run it. Carries the peer's message. */
public class RdmaRemoteException extends RdmaRpcException {

    private static final long serialVersionUID = 1L;

    private final String remoteType;

    /**
     * Creates the failure.
     *
     * @param status how the call ended
     * @param remoteType class name of the exception on the peer, empty without one
     * @param message the peer's message
     */
    public RdmaRemoteException(RpcStatus status, String remoteType, String message) {
        super(status, message);
        this.remoteType = remoteType;
    }

    /**
     * Returns the class of the remote method's exception.
     *
     * @return its name, empty if the failure was not an exception of the method
     */
    public String remoteType() {
        return remoteType;
    }
}
