package io.rdmarpc.benchmarks.sessions;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.runtime.IdlePolicy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A calling process: opens its share of the sessions and prints what they cost, prints for each line of input how many calls it
 * made on all of them in turn, and ends with its input.
 *
 * <pre>
 *   SECONDS-TO-OPEN  HEAP-BYTES-PER-SESSION  REGISTERED-BYTES-PER-SESSION  RING-BYTES
 *   CALLS-PER-SECOND
 *   ...
 * </pre>
 */
public final class SessionsClient {

    private static final int OPENERS = 16;
    private static final Duration LONG = Duration.ofSeconds(60);

    private SessionsClient() {}

    /**
     * Runs a client.
     *
     * @param arguments the server's port, how many sessions, path MTU in bytes, calls outstanding, seconds
     * @throws IOException when standard input fails
     * @throws InterruptedException when it is interrupted
     */
    public static void main(String... arguments) throws IOException, InterruptedException {
        InetSocketAddress server =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
        int count = Integer.parseInt(arguments[1]);
        int outstanding = Integer.parseInt(arguments[3]);
        Duration time = Duration.ofNanos((long) (Double.parseDouble(arguments[4]) * 1e9));
        // Beside others on few processors: a thread without work makes room.
        try (SessionsRuntime runtime =
                new SessionsRuntime(count, Integer.parseInt(arguments[2]), IdlePolicy.ADAPTIVE)) {
            CallsInTurn calls = new CallsInTurn(openAndReport(runtime, server, count), outstanding);
            while (System.in.read() >= 0) {
                calls.perSecond(time);
                print(String.format(Locale.ROOT, "%.1f", calls.perSecond(time)));
            }
        }
    }

    private static RpcSession[] openAndReport(SessionsRuntime runtime, InetSocketAddress server, int count)
            throws InterruptedException {
        long before = SessionsRuntime.heapBytes();
        long start = System.nanoTime();
        RpcSession[] sessions = open(runtime, server, count);
        double seconds = (System.nanoTime() - start) / 1e9;
        long heap = (SessionsRuntime.heapBytes() - before) / count;
        print(String.format(
                Locale.ROOT, "%.6f %d %d %d", seconds, heap, runtime.registeredBytes() / count, runtime.ringBytes()));
        return sessions;
    }

    private static void print(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private static RpcSession[] open(SessionsRuntime runtime, InetSocketAddress server, int count)
            throws InterruptedException {
        RpcSession[] sessions = new RpcSession[count];
        List<Thread> openers = new ArrayList<>();
        for (int opener = 0; opener < OPENERS; opener++) {
            int first = opener;
            openers.add(Thread.ofPlatform().start(() -> {
                for (int i = first; i < count; i += OPENERS) {
                    // Closed with the runtime.
                    RpcChannel channel = runtime.runtime().channel("sessions", server);
                    sessions[i] = channel.session(LONG);
                }
            }));
        }
        for (Thread opener : openers) {
            opener.join();
        }
        for (RpcSession session : sessions) {
            if (session == null) {
                throw new IllegalStateException("not all sessions could be opened; see above");
            }
        }
        return sessions;
    }
}
