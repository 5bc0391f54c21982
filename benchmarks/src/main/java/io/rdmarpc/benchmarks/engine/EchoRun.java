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

/** The measured loops, all on one thread. */
final class EchoRun {

    private static final long TIMEOUT = Duration.ofSeconds(20).toNanos();
    private static final Duration CONNECT = Duration.ofSeconds(20);
    private static final int MOST_TIMES = 1 << 20;
    private static final int PASSES = 20;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /**
     * A closed loop of asynchronous calls. Calls beyond the window of the first session use a second session.
     *
     * @param method number of the called method
     * @param requestBytes bytes per request
     * @param responseBytes bytes per response
     * @param outstanding number of concurrent calls, at most the windows of both sessions together
     */
    record Load(int method, int requestBytes, int responseBytes, int outstanding) {}

    /** Threads that poll for the runtimes that are open when this object is created. */
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
        try (RpcCall call = channel.session(CONNECT).prepareCall(RpcCall.End.NONE)) {
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
        MessageView response = call.call(EchoHandler.ECHO, TIMEOUT);
        if (response.length() != bytes || response.memory().get(ValueLayout.JAVA_INT, response.offset()) != number) {
            throw new IllegalStateException("the response to call " + number + " is not the echo of its request");
        }
        call.release();
    }

    double callsPerSecond(Load load, Duration time) {
        RpcCall[] calls = new RpcCall[load.outstanding];
        for (int i = 0; i < calls.length; i++) {
            RpcChannel one = i < EchoService.WINDOW ? channel : second;
            calls[i] = one.session(CONNECT).prepareCall(call -> restart(call, load));
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

    private void restart(RpcCall call, Load load) {
        MessageView response = call.response();
        long number = response.memory().get(ValueLayout.JAVA_LONG_UNALIGNED, response.offset());
        if (response.length() != load.responseBytes || number < 1 || number > started) {
            throw new IllegalStateException("a response of " + response.length() + " bytes begins with " + number
                    + ": expected " + load.responseBytes + " bytes that begin with a number from 1 to " + started);
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

    /** Returns the minimum of several passes, because the JIT compilers may allocate once when they replace code. */
    double bytesPerCall(int bytes, Duration time) {
        try (RpcCall call = channel.session(CONNECT).prepareCall(RpcCall.End.NONE)) {
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
        MessageView response = call.call(EchoService.ALLOCATED, TIMEOUT);
        return response.memory().get(ValueLayout.JAVA_LONG, response.offset());
    }

    /**
     * Returns the bytes allocated by this thread, which runs the event loop while it waits, and by the polling threads.
     */
    private long ownBytes() {
        long bytes = THREADS.getCurrentThreadAllocatedBytes();
        for (long thread : polling) {
            bytes += THREADS.getThreadAllocatedBytes(thread);
        }
        return bytes;
    }
}
