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
 * Echoes of 32 bytes on all sessions in turn, with a fixed number of calls outstanding. The end of each call starts the
 * next one on the polling thread. Each session has the same number of calls.
 */
final class CallsInTurn {

    private static final int BYTES = 32;
    private static final long TIMEOUT = Duration.ofSeconds(20).toNanos();
    private static final int CALLS_PER_CLOCK_READ = 256;

    private final RpcCall[] calls;
    private final boolean[] busy;
    private final int outstanding;

    // Used by the polling thread only, while calls are in flight.
    private int next;
    private long ended;
    private int inFlight;
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
        inFlight = outstanding;
        long start = System.nanoTime();
        stopNanos = start + time.toNanos();
        // Calls that end during this loop start the calls that follow these.
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
            throw new IllegalStateException("a response has " + call.response().length() + " bytes, the echo of its"
                    + " request would have " + BYTES);
        }
        call.release();
        busy[number] = false;
        if (++ended % CALLS_PER_CLOCK_READ == 0) {
            stopping = System.nanoTime() - stopNanos >= 0;
        }
        if (!stopping) {
            start(takeNext());
        } else if (--inFlight == 0) {
            done.countDown();
        }
    }

    /** Returns the next call that is not in flight. Skips late calls, so that they do not delay the others. */
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
