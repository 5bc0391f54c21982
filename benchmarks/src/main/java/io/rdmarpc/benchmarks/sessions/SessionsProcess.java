package io.rdmarpc.benchmarks.sessions;

import io.rdmarpc.benchmarks.EchoHandler;
import io.rdmarpc.rpc.RpcServer;
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
 * The server or one of its clients. It prints a line of numbers for each input line, and ends at the end of its input.
 *
 * <pre>
 *   server, at first: PORT
 *   server:           SESSIONS  HEAP-BYTES-PER-SESSION  REGISTERED-BYTES-PER-SESSION  RING-BYTES
 *   client, at first: SECONDS-TO-OPEN
 *   client:           CALLS-PER-SECOND  HEAP-BYTES-PER-SESSION  REGISTERED-BYTES-PER-SESSION  RING-BYTES
 * </pre>
 *
 * <p>A client calls on all of its sessions in turn. Memory is measured after the calls, because sessions allocate some
 * of it for their first call.
 */
final class SessionsProcess {

    private static final int OPENERS = 16;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private SessionsProcess() {}

    /** Arguments: {@code serve SESSIONS MTU-BYTES} or {@code call SESSIONS MTU-BYTES PORT OUTSTANDING SECONDS}. */
    public static void main(String... arguments) throws IOException, InterruptedException {
        int sessions = Integer.parseInt(arguments[1]);
        boolean isServer = arguments[0].equals("serve");
        // Several clients share few CPUs, so a polling thread without work yields its CPU.
        IdlePolicy idle = isServer ? IdlePolicy.BUSY : IdlePolicy.ADAPTIVE;
        try (SessionsRuntime runtime = new SessionsRuntime(sessions, Integer.parseInt(arguments[2]), idle)) {
            if (isServer) {
                serve(runtime);
            } else {
                call(
                        runtime,
                        sessions,
                        Integer.parseInt(arguments[3]),
                        Integer.parseInt(arguments[4]),
                        Duration.ofNanos((long) (Double.parseDouble(arguments[5]) * 1e9)));
            }
        }
    }

    private static void serve(SessionsRuntime runtime) throws IOException, InterruptedException {
        runtime.runtime().export(EchoHandler.export(EchoHandler::echo));
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (RpcServer server = runtime.runtime().listen(any)) {
            long before = SessionsRuntime.heapBytes();
            print("%d", server.address().getPort());
            while (System.in.read() >= 0) {
                int sessions = runtime.runtime().statistics().serverSessions();
                printMemory(runtime, sessions, before, sessions);
            }
        }
    }

    private static void call(SessionsRuntime runtime, int count, int port, int outstanding, Duration time)
            throws IOException, InterruptedException {
        long before = SessionsRuntime.heapBytes();
        long start = System.nanoTime();
        RpcSession[] sessions = open(runtime, new InetSocketAddress(InetAddress.getLoopbackAddress(), port), count);
        print("%.6f", (System.nanoTime() - start) / 1e9);
        CallsInTurn calls = new CallsInTurn(sessions, outstanding);
        while (System.in.read() >= 0) {
            // Warm-up.
            calls.perSecond(time);
            printMemory(runtime, calls.perSecond(time), before, count);
        }
    }

    private static void printMemory(SessionsRuntime runtime, double first, long heapBefore, int sessions)
            throws InterruptedException {
        int each = Math.max(1, sessions);
        long heap = (SessionsRuntime.heapBytes() - heapBefore) / each;
        print("%.6f %d %d %d", first, heap, runtime.registeredBytes() / each, runtime.ringBytes());
    }

    private static void print(String format, Object... values) {
        System.out.printf(Locale.ROOT, format + "%n", values);
        System.out.flush();
    }

    /** Opens the sessions. Closing the runtime closes their channels. */
    private static RpcSession[] open(SessionsRuntime runtime, InetSocketAddress server, int count)
            throws InterruptedException {
        RpcSession[] sessions = new RpcSession[count];
        List<Thread> openers = new ArrayList<>();
        for (int opener = 0; opener < OPENERS; opener++) {
            int first = opener;
            openers.add(Thread.ofPlatform().start(() -> {
                for (int i = first; i < count; i += OPENERS) {
                    sessions[i] = runtime.runtime().channel("sessions", server).session(LIMIT);
                }
            }));
        }
        for (Thread opener : openers) {
            opener.join();
        }
        for (RpcSession session : sessions) {
            if (session == null) {
                throw new IllegalStateException("not all sessions could be opened; the standard error has the reasons");
            }
        }
        return sessions;
    }
}
