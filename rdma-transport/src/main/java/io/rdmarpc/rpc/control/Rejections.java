package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.error.RdmaContractException;
import io.rdmarpc.rpc.error.RdmaRejectedException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.error.SessionRejectReason;
import java.io.IOException;

/** Converts a server's rejection to the failure of the client's session. */
final class Rejections {

    private Rejections() {}

    /** Returns an {@link IOException} if a later attempt may succeed, otherwise the exception with which calls fail. */
    static Exception failure(SessionRejectReason reason, String detail) {
        String message = "the server rejects the session: " + detail;
        if (reason.status() == RpcStatus.CONTRACT_MISMATCH) {
            return new RdmaContractException(message);
        }
        RdmaRejectedException rejected = new RdmaRejectedException(reason, message);
        return reason.status().isRetryable() ? new IOException(message, rejected) : rejected;
    }
}
