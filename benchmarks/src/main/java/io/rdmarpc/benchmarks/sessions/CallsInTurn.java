package io.rdmarpc.benchmarks.sessions;

import io.rdmarpc.benchmarks.EchoHandler;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.RpcSession;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;

/**
 * Echoes of 32 bytes on all sessions in turn, so many outstanding: each end starts the next one, on the polling thread. As
 * many go over one session as over any other.
 */
final class CallsInTurn {

    private static final int BYTES = 32;
    private static final long TIMEOUT = Duration.ofSeconds(20).toNanos();
    private static final int CALLS_PER_LOOK_AT_THE_CLOCK = 256;

    private final RpcCall[] calls;
    private final boolean[] busy;
    private final int outstanding;

    // Of the polling thread while calls are under way.
    private int next;
    private long ended;
    private int underWay;
    private long stopNanos;
    private boolean stopping;
    private CountDownLatch done = new CountDownLatch(0);

    CallsInTurn(RpcSession[] sessions, int outstanding) {
        this.outstanding = outstanding;
        int rounds = Math.ceilDiv(2 * outstanding, sessions.length);
        this.calls = new RpcCall[sessions.length * rounds];
        for (int i = 0; i < calls.length; i++) {
            int number = i;
            calls[i] = sessions[i % sessions.length].prepareCall(call -> onEnd(call, number));
        }
        this.busy = new boolean[calls.length];
    }

    double perSecond(Duration time) throws InterruptedException {
        done = new CountDownLatch(1);
        ended = 0;
        stopping = false;
        underWay = outstanding;
        long start = System.nanoTime();
        stopNanos = start + time.toNanos();
        // The ends that come meanwhile take calls behind these.
        next = outstanding % calls.length;
        Arrays.fill(busy, 0, outstanding, true);
        for (int i = 0; i < outstanding; i++) {
            start(calls[i]);
        }
        done.await();
        return ended * 1e9 / (System.nanoTime() - start);
    }

    private void onEnd(RpcCall call, int number) {
        if (call.response().length() != BYTES) {
            throw new IllegalStateException("a response is not an echo");
        }
        call.release();
        busy[number] = false;
        if (++ended % CALLS_PER_LOOK_AT_THE_CLOCK == 0) {
            stopping = System.nanoTime() - stopNanos >= 0;
        }
        if (!stopping) {
            start(takeNext());
        } else if (--underWay == 0) {
            done.countDown();
        }
    }

    /** One that is late is left out, so that it does not hold up the others. */
    private RpcCall takeNext() {
        while (busy[next]) {
            next = next + 1 == calls.length ? 0 : next + 1;
        }
        busy[next] = true;
        return calls[next];
    }

    private void start(RpcCall call) {
        MessageBuffer request = call.request(BYTES);
        request.segment().set(ValueLayout.JAVA_LONG, 0, ended);
        request.length(BYTES);
        call.start(EchoHandler.ECHO, TIMEOUT);
    }
}
