package io.rdmarpc.benchmarks.sessions;

import io.rdmarpc.benchmarks.EchoHandler;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.runtime.IdlePolicy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;

/**
 * The answering process: prints its port, for each line of input what its sessions cost, and ends with its input.
 *
 * <pre>
 *   PORT
 *   SESSIONS  HEAP-BYTES-PER-SESSION  REGISTERED-BYTES-PER-SESSION  RING-BYTES
 * </pre>
 */
public final class SessionsServer {

    private SessionsServer() {}

    /**
     * Runs the server.
     *
     * @param arguments how many sessions its ring is for, path MTU in bytes
     * @throws IOException when standard input fails
     * @throws InterruptedException when it is interrupted
     */
    public static void main(String... arguments) throws IOException, InterruptedException {
        try (SessionsRuntime runtime =
                new SessionsRuntime(Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]), IdlePolicy.BUSY)) {
            runtime.runtime().export(EchoHandler.export(EchoHandler::echo));
            InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            try (RpcServer server = runtime.runtime().listen(any)) {
                long before = SessionsRuntime.heapBytes();
                System.out.println(server.address().getPort());
                System.out.flush();
                while (System.in.read() >= 0) {
                    report(runtime, before);
                }
            }
        }
    }

    private static void report(SessionsRuntime runtime, long before) throws InterruptedException {
        int sessions = runtime.runtime().statistics().serverSessions();
        int each = Math.max(1, sessions);
        long heap = (SessionsRuntime.heapBytes() - before) / each;
        long registered = runtime.registeredBytes() / each;
        System.out.printf(Locale.ROOT, "%d %d %d %d%n", sessions, heap, registered, runtime.ringBytes());
        System.out.flush();
    }
}
