package io.rdmarpc.benchmarks.sessions;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.BytesHandler;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.ServedCall;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;

/**
 * The answering process: prints its port, for each byte of input what its sessions cost, and ends with its input.
 *
 * <pre>
 *   PORT
 *   SESSIONS  HEAP-BYTES-PER-SESSION  REGISTERED-BYTES-PER-SESSION  RING-BYTES
 * </pre>
 */
public final class SessionsServer {

    static final int ECHO = 1;

    private SessionsServer() {}

    /**
     * Runs the server.
     *
     * @param arguments how many sessions its ring is for
     * @throws IOException when standard input fails
     * @throws InterruptedException when it is interrupted
     */
    public static void main(String... arguments) throws IOException, InterruptedException {
        try (SessionsRuntime runtime = new SessionsRuntime(Integer.parseInt(arguments[0]))) {
            runtime.runtime()
                    .export(new ServiceExport(
                            new ServiceContract(
                                    "sessions", List.of(new ServiceContract.Method(ECHO, "echo")), List.of()),
                            List.of(new ServiceExport.Method(ECHO, (BytesHandler) SessionsServer::echo, null))));
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
        long registered = runtime.runtime().registeredBytes() / each;
        System.out.printf(Locale.ROOT, "%d %d %d %d%n", sessions, heap, registered, runtime.ringBytes());
        System.out.flush();
    }

    private static void echo(ServedCall call) {
        int length = call.length();
        MessageBuffer answer = call.response(length);
        MemorySegment.copy(call.memory(), call.offset(), answer.segment(), 0, length);
        answer.length(length);
        call.respond();
    }
}
