package io.rdmarpc.service;

import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.verbs.PeerText;
import org.jspecify.annotations.Nullable;

/** An argument or result could not be written, or what arrived could not be read. */
public class RdmaSerializationException extends RdmaRpcException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the failure.
     *
     * @param message which value of which method, and why; cleaned, since it may repeat what a peer has sent
     * @param cause the underlying failure
     */
    public RdmaSerializationException(String message, @Nullable Throwable cause) {
        super(RpcStatus.INVALID_REQUEST, PeerText.detail(message), cause);
    }
}
