package io.rdmarpc.service.client;

import io.rdmarpc.rpc.InboundMessage;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** A call whose end nobody waits for. What fails before the session has taken it is still the caller's. */
final class OneWayCall implements ResponseHandler {

    private static final Log LOG = LogFactory.getLog(OneWayCall.class);
    private static final long LOG_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final ClientMethod method;
    private final ClientCall call;
    private final Failures failures;
    private final Thread caller = Thread.currentThread();
    private volatile boolean taken;
    private @Nullable RpcException refused;

    OneWayCall(ClientMethod method, ClientCall call, Failures failures) {
        this.method = method;
        this.call = call;
        this.failures = failures;
    }

    /** The session has it; throws when it did not want it. */
    void taken() {
        RpcException refusal = refused;
        if (refusal != null) {
            throw refusal;
        }
        taken = true;
    }

    @Override
    public void onResponse(InboundMessage response) {
        response.close();
        method.answered(call);
        call.succeeded();
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // a thread is itself and no other
    public void onFailure(RpcException failure) {
        if (!taken && Thread.currentThread() == caller) {
            refused = failure;
        } else {
            method.failedLater(call, failure);
            failures.add(call.failed(failure));
        }
    }

    /** Those of one method, which tells of them now and then. Any thread. */
    static final class Failures {

        private final AtomicLong untold = new AtomicLong();
        private final AtomicLong toldAt = new AtomicLong(System.nanoTime() - LOG_INTERVAL_NANOS);

        private void add(RpcException failure) {
            untold.incrementAndGet();
            long now = System.nanoTime();
            long last = toldAt.get();
            if (now - last >= LOG_INTERVAL_NANOS && toldAt.compareAndSet(last, now)) {
                LOG.warn(untold.getAndSet(0) + " one-way calls failed; the last one: " + failure.getMessage());
            }
        }
    }
}
