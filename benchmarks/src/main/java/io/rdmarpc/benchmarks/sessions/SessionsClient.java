package io.rdmarpc.benchmarks.sessions;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcSession;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The calling process: opens sessions, calls on all of them in turn, prints what it measured, keeps them until its input
 * ends.
 *
 * <pre>
 *   SESSIONS-PER-SECOND  CALLS-PER-SECOND  HEAP-BYTES-PER-SESSION
 * </pre>
 */
public final class SessionsClient {

    private static final int OPENERS = 16;
    private static final Duration LONG = Duration.ofSeconds(60);

    private SessionsClient() {}

    /**
     * Runs the client.
     *
     * @param arguments the server's port, how many sessions, calls outstanding, seconds
     * @throws IOException when standard input fails
     * @throws InterruptedException when it is interrupted
     */
    public static void main(String... arguments) throws IOException, InterruptedException {
        InetSocketAddress server =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
        int count = Integer.parseInt(arguments[1]);
        int outstanding = Integer.parseInt(arguments[2]);
        Duration time = Duration.ofNanos((long) (Double.parseDouble(arguments[3]) * 1e9));
        try (SessionsRuntime runtime = new SessionsRuntime(count)) {
            long before = SessionsRuntime.heapBytes();
            long start = System.nanoTime();
            RpcSession[] sessions = open(runtime, server, count);
            double seconds = (System.nanoTime() - start) / 1e9;
            long each = (SessionsRuntime.heapBytes() - before) / count;
            CallsInTurn calls = new CallsInTurn(sessions, outstanding);
            calls.perSecond(time);
            System.out.printf(Locale.ROOT, "%.1f %.1f %d%n", count / seconds, calls.perSecond(time), each);
            System.out.flush();
            while (System.in.read() >= 0) {
                // The server is being looked at.
            }
        }
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
