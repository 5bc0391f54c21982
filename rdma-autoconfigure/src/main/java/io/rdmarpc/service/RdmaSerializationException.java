package io.rdmarpc.service;

import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.verbs.PeerText;
import org.jspecify.annotations.Nullable;

/** An argument or result could not be encoded, or received bytes could not be decoded. */
public class RdmaSerializationException extends RdmaRpcException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the failure.
     *
     * @param message the value, the method and the reason; control characters are removed, because it may contain text
     *     of a peer
     * @param cause the underlying failure
     */
    public RdmaSerializationException(String message, @Nullable Throwable cause) {
        super(RpcStatus.INVALID_REQUEST, PeerText.detail(message), cause);
    }
}
