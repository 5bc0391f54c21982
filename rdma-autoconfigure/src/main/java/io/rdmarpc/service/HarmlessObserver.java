package io.rdmarpc.service;

import io.rdmarpc.rpc.error.RpcStatus;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Logs what an observer throws. */
record HarmlessObserver(MethodObserver observer) implements MethodObserver {

    private static final Log LOG = LogFactory.getLog(HarmlessObserver.class);

    @Override
    public void onEnd(RpcStatus status, @Nullable Throwable failure, long nanos) {
        try {
            observer.onEnd(status, failure, nanos);
        } catch (RuntimeException e) {
            LOG.warn("an observer of calls failed: " + observer, e);
        }
    }
}
