package io.rdmarpc.service.client;

import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.message.InboundMessage;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A call without a response to the caller. The caller receives only failures before the session has accepted the
 * call.
 */
final class OneWayCall {

    private static final Log LOG = LogFactory.getLog(OneWayCall.class);
    private static final long LOG_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final ClientMethod method;
    private final ClientCall call;
    private final Failures failures;

    OneWayCall(ClientMethod method, ClientCall call, Failures failures) {
        this.method = method;
        this.call = call;
        this.failures = failures;
    }

    /**
     * Sends the call. If a session does not run it, the call is sent on another one. Throws if no session accepts it.
     */
    void send() {
        while (true) {
            RdmaRpcException failure = new Attempt().send();
            if (failure == null) {
                return;
            }
            awaitNext(failure);
        }
    }

    private void awaitNext(RdmaRpcException failure) {
        method.recordFailure(call, failure);
        Duration pause = call.pauseAfter(failure, RetryPolicy.ONCE);
        if (pause == null || !ClientMethod.slept(pause)) {
            throw failure;
        }
    }

    /** Sends the call again after the caller has continued. */
    private void sendAgain(RdmaRpcException notRun) {
        try {
            awaitNext(notRun);
            send();
        } catch (RdmaRpcException e) {
            failures.add(call.failed(e));
        }
    }

    private void failedLater(RdmaRpcException failure) {
        try {
            if (failure instanceof RdmaNotExecutedException) {
                method.later(() -> sendAgain(failure));
                return;
            }
        } catch (RejectedExecutionException stopping) {
            // The application is stopping, so the call is counted as failed.
        }
        method.recordFailureLater(call, failure);
        failures.add(call.failed(failure));
    }

    /** One attempt of the call, which handles the end of the attempt. */
    private final class Attempt implements ResponseHandler {

        private final Thread sender = Thread.currentThread();
        private volatile boolean accepted;
        private @Nullable RdmaRpcException rejection;

        /** Returns the failure if no session has accepted the call, otherwise null. */
        @Nullable
        RdmaRpcException send() {
            try {
                method.send(call, call.isFirstAttempt() ? call.timeoutNanos() : call.remainingNanos(), this);
            } catch (RdmaRpcException e) {
                return e;
            }
            accepted = true;
            return rejection;
        }

        @Override
        public void onResponse(InboundMessage response) {
            response.close();
            method.recordResponse(call);
            call.succeeded();
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // thread identity
        public void onFailure(RdmaRpcException failure) {
            if (!accepted && Thread.currentThread() == sender) {
                rejection = failure;
            } else {
                failedLater(failure);
            }
        }
    }

    /** Counts the failed calls of one method and logs them at most every 10 s. Thread-safe. */
    static final class Failures {

        private final AtomicLong unreported = new AtomicLong();
        private final AtomicLong reportedAt = new AtomicLong(System.nanoTime() - LOG_INTERVAL_NANOS);

        private void add(RdmaRpcException failure) {
            unreported.incrementAndGet();
            long now = System.nanoTime();
            long last = reportedAt.get();
            if (now - last >= LOG_INTERVAL_NANOS && reportedAt.compareAndSet(last, now)) {
                LOG.warn(unreported.getAndSet(0) + " one-way calls failed since the last report; the last failure: "
                        + failure.getMessage());
            }
        }
    }
}
