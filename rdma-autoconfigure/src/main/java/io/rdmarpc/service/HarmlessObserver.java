package io.rdmarpc.service;

import io.rdmarpc.rpc.error.RpcStatus;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Logs exceptions of an observer, so that they do not affect the call. */
record HarmlessObserver(MethodObserver observer) implements MethodObserver {

    private static final Log LOG = LogFactory.getLog(HarmlessObserver.class);

    @Override
    public void onEnd(RpcStatus status, @Nullable Throwable failure, long nanos) {
        try {
            observer.onEnd(status, failure, nanos);
        } catch (RuntimeException e) {
            LOG.warn("An observer of calls threw an exception: " + observer, e);
        }
    }
}
