package io.rdmarpc.benchmarks.sessions;

import io.rdmarpc.benchmarks.EchoHandler;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.message.InboundMessage;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Echoes of 32 bytes on all sessions in turn, with a fixed number of calls outstanding. The end of each call starts the
 * next one on the polling thread. Each session has the same number of calls. The caller keeps no object for each session,
 * so that the figures show what the engine keeps.
 */
final class CallsInTurn implements ResponseHandler {

    private static final int BYTES = 32;
    private static final long TIMEOUT = Duration.ofSeconds(20).toNanos();
    private static final int CALLS_PER_CLOCK_READ = 256;

    private final RpcSession[] sessions;
    private final int outstanding;

    // Used by the polling thread only, while calls are in flight.
    private int next;
    private long ended;
    private int inFlight;
    private long stopNanos;
    private boolean stopping;
    private @Nullable Exception failure;
    private CountDownLatch done = new CountDownLatch(0);

    CallsInTurn(RpcSession[] sessions, int outstanding) {
        this.sessions = sessions;
        this.outstanding = outstanding;
    }

    double perSecond(Duration time) throws InterruptedException {
        done = new CountDownLatch(1);
        ended = 0;
        stopping = false;
        inFlight = outstanding;
        long start = System.nanoTime();
        stopNanos = start + time.toNanos();
        // Calls that end during this loop start the calls that follow these.
        next = outstanding % sessions.length;
        for (int i = 0; i < outstanding; i++) {
            start(sessions[i % sessions.length]);
        }
        done.await();
        if (failure != null) {
            throw new IllegalStateException("a call has failed", failure);
        }
        return ended * 1e9 / (System.nanoTime() - start);
    }

    @Override
    public void onResponse(InboundMessage response) {
        int bytes = response.length();
        response.close();
        if (bytes != BYTES) {
            fail(new IllegalStateException(
                    "a response has " + bytes + " bytes, the echo of its request would have " + BYTES));
            return;
        }
        if (++ended % CALLS_PER_CLOCK_READ == 0) {
            stopping = System.nanoTime() - stopNanos >= 0;
        }
        onEnd();
    }

    @Override
    public void onFailure(RdmaRpcException reason) {
        fail(reason);
    }

    private void fail(Exception reason) {
        failure = reason;
        stopping = true;
        onEnd();
    }

    private void onEnd() {
        if (!stopping) {
            int taken = next;
            next = taken + 1 == sessions.length ? 0 : taken + 1;
            start(sessions[taken]);
        } else if (--inFlight == 0) {
            done.countDown();
        }
    }

    private void start(RpcSession session) {
        MessageBuffer request = session.allocate(BYTES);
        request.segment().set(ValueLayout.JAVA_LONG, 0, ended);
        request.length(BYTES);
        session.call(EchoHandler.ECHO, request, TIMEOUT, this);
    }
}
