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

/** A call whose end nobody waits for. What fails before the session has taken it is still the caller's. */
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

    /** Gives it to a session, to another one when the first does not run it; throws when none takes it. */
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
        method.failedOn(call, failure);
        Duration pause = call.pauseAfter(failure, RetryPolicy.ONCE);
        if (pause == null || !ClientMethod.slept(pause)) {
            throw failure;
        }
    }

    /** Its caller has gone on meanwhile. */
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
            // The application closes: the call is counted as failed.
        }
        method.failedLater(call, failure);
        failures.add(call.failed(failure));
    }

    /** One attempt of the call, which is notified of its end. */
    private final class Attempt implements ResponseHandler {

        private final Thread sender = Thread.currentThread();
        private volatile boolean taken;
        private @Nullable RdmaRpcException refused;

        /** Returns why no session has it; null when one has. */
        @Nullable
        RdmaRpcException send() {
            try {
                method.send(call, call.isFirstAttempt() ? call.timeoutNanos() : call.remainingNanos(), this);
            } catch (RdmaRpcException e) {
                return e;
            }
            taken = true;
            return refused;
        }

        @Override
        public void onResponse(InboundMessage response) {
            response.close();
            method.answered(call);
            call.succeeded();
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // a thread is itself and no other
        public void onFailure(RdmaRpcException failure) {
            if (!taken && Thread.currentThread() == sender) {
                refused = failure;
            } else {
                failedLater(failure);
            }
        }
    }

    /** Those of one method, which tells of them now and then. Any thread. */
    static final class Failures {

        private final AtomicLong untold = new AtomicLong();
        private final AtomicLong toldAt = new AtomicLong(System.nanoTime() - LOG_INTERVAL_NANOS);

        private void add(RdmaRpcException failure) {
            untold.incrementAndGet();
            long now = System.nanoTime();
            long last = toldAt.get();
            if (now - last >= LOG_INTERVAL_NANOS && toldAt.compareAndSet(last, now)) {
                LOG.warn(untold.getAndSet(0) + " one-way calls failed; the last one: " + failure.getMessage());
            }
        }
    }
}
