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
        this(status, remoteType, message, RdmaErrorDetails.NONE);
    }

    /**
     * Creates the failure with details.
     *
     * @param status how the call ended
     * @param remoteType class name of the exception on the peer, empty without one
     * @param message the peer's message
     * @param details the peer's details
     */
    public RdmaRemoteException(RpcStatus status, String remoteType, String message, RdmaErrorDetails details) {
        super(status, message, details, null);
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
