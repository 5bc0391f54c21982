package io.rdmarpc.benchmarks.engine;

import com.sun.management.ThreadMXBean;
import io.rdmarpc.benchmarks.EchoHandler;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.message.MessageView;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;

/** The loops that are measured, on one thread. */
final class EchoRun {

    private static final long TIMEOUT = Duration.ofSeconds(20).toNanos();
    private static final Duration CONNECT = Duration.ofSeconds(20);
    private static final int MOST_TIMES = 1 << 20;
    private static final int PASSES = 20;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /**
     * Calls that go on without a pause. Those beyond one session's window are in a second one.
     *
     * @param method what is called
     * @param requestBytes of each
     * @param answerBytes of each
     * @param outstanding how many at a time, at most the windows of two sessions
     */
    record Load(int method, int requestBytes, int answerBytes, int outstanding) {}

    /** Of the runtimes that are open in this process when this is made. */
    private final long[] polling = Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().startsWith("rdma-poll-"))
            .mapToLong(Thread::threadId)
            .toArray();

    private final RdmaRuntime runtime;
    private final RpcChannel channel;
    private final RpcChannel second;
    private final long[] times = new long[MOST_TIMES];
    private long started;
    private long ended;
    private long stopNanos;
    private boolean stopping;

    EchoRun(RdmaRuntime runtime, RpcChannel channel, RpcChannel second) {
        this.runtime = runtime;
        this.channel = channel;
        this.second = second;
    }

    double halfRoundTripMicros(int bytes, Duration time) {
        try (RpcCall call = channel.session(CONNECT).prepareCall(RpcCall.End.UNTOLD)) {
            long stop = System.nanoTime() + time.toNanos();
            int count = 0;
            long before = System.nanoTime();
            while (count < MOST_TIMES && before - stop < 0) {
                echo(call, bytes, count);
                long after = System.nanoTime();
                times[count++] = after - before;
                before = after;
            }
            Arrays.sort(times, 0, count);
            return times[count / 2] / 2e3;
        }
    }

    private static void echo(RpcCall call, int bytes, int number) {
        MessageBuffer request = call.request(bytes);
        request.segment().set(ValueLayout.JAVA_INT, 0, number);
        request.length(bytes);
        MessageView answer = call.call(EchoHandler.ECHO, TIMEOUT);
        if (answer.length() != bytes || answer.memory().get(ValueLayout.JAVA_INT, answer.offset()) != number) {
            throw new IllegalStateException("the answer to call " + number + " is not its echo");
        }
        call.release();
    }

    double callsPerSecond(Load load, Duration time) {
        RpcCall[] calls = new RpcCall[load.outstanding];
        for (int i = 0; i < calls.length; i++) {
            RpcChannel one = i < EchoService.WINDOW ? channel : second;
            calls[i] = one.session(CONNECT).prepareCall(call -> again(call, load));
        }
        started = 0;
        ended = 0;
        stopping = false;
        long start = System.nanoTime();
        stopNanos = start + time.toNanos();
        for (RpcCall call : calls) {
            start(call, load);
        }
        while (ended < started) {
            runtime.doWork();
        }
        long took = System.nanoTime() - start;
        for (RpcCall call : calls) {
            call.close();
        }
        return ended * 1e9 / took;
    }

    private void again(RpcCall call, Load load) {
        MessageView answer = call.response();
        long number = answer.memory().get(ValueLayout.JAVA_LONG_UNALIGNED, answer.offset());
        if (answer.length() != load.answerBytes || number < 1 || number > started) {
            throw new IllegalStateException("an answer of " + answer.length() + " bytes begins with " + number + ": "
                    + load.answerBytes + " bytes and the number of one of " + started + " requests were expected");
        }
        if (++ended % 256 == 0) {
            stopping = System.nanoTime() - stopNanos >= 0;
        }
        if (!stopping) {
            start(call, load);
        }
    }

    private void start(RpcCall call, Load load) {
        MessageBuffer request = call.request(load.requestBytes);
        request.segment().set(ValueLayout.JAVA_LONG, 0, ++started);
        request.length(load.requestBytes);
        call.start(load.method, TIMEOUT);
    }

    /** The least of some passes: the compilers replace code at any time, and that may allocate once. */
    double bytesPerCall(int bytes, Duration time) {
        try (RpcCall call = channel.session(CONNECT).prepareCall(RpcCall.End.UNTOLD)) {
            double least = Double.MAX_VALUE;
            for (int pass = 0; pass < PASSES; pass++) {
                long before = serverBytes(call) + ownBytes();
                long stop = System.nanoTime() + time.toNanos() / PASSES;
                int count = 0;
                while (System.nanoTime() - stop < 0) {
                    echo(call, bytes, count++);
                }
                least = Math.min(least, (serverBytes(call) + ownBytes() - before) / (double) count);
            }
            return least;
        }
    }

    private static long serverBytes(RpcCall call) {
        call.request(0).length(0);
        MessageView answer = call.call(EchoService.ALLOCATED, TIMEOUT);
        return answer.memory().get(ValueLayout.JAVA_LONG, answer.offset());
    }

    /** This thread's, which turns the engine while it waits, and the polling thread's. */
    private long ownBytes() {
        long bytes = THREADS.getCurrentThreadAllocatedBytes();
        for (long thread : polling) {
            bytes += THREADS.getThreadAllocatedBytes(thread);
        }
        return bytes;
    }
}
