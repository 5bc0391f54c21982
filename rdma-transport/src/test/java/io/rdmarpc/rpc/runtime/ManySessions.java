package io.rdmarpc.rpc.runtime;

import io.rdmarpc.memory.MemoryConfig;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.config.ControlConfig;
import io.rdmarpc.rpc.config.HeartbeatConfig;
import io.rdmarpc.rpc.config.ReconnectConfig;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdConfig;
import io.rdmarpc.transport.UdTransport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executors;

/**
 * Measures how fast sessions open and what they cost: a server and its clients in processes of their own.
 *
 * <pre>
 *   server SESSIONS          prints "LISTENING port"; per line of input, its heap after a GC and its sessions
 *   client PORT SESSIONS     opens them, calls on each, prints the time; keeps them until its input ends
 * </pre>
 */
public final class ManySessions {

    private static final int CALLERS = 16;

    private ManySessions() {}

    /**
     * Runs one end.
     *
     * @param args see the class
     */
    public static void main(String[] args) throws Exception {
        int sessions = Integer.parseInt(args[args.length - 1]);
        NicContext nic = NicContext.open(
                NicConfig.DEFAULTS.withProvider("soft", Map.of("soft.addresses", "127.0.0.1", "soft.port", "0")));
        try (nic;
                UdTransport ud = UdTransport.open(nic, new UdConfig(256, sessions + 64, UdConfig.AUTO_INLINE));
                RcTransport rc = RcTransport.open(nic, RcConfig.DEFAULTS);
                RdmaRuntime runtime = open(nic, ud, rc)) {
            if (args[0].equals("server")) {
                serve(runtime);
            } else {
                call(runtime, Integer.parseInt(args[1]), sessions);
            }
        }
    }

    static RdmaRuntime open(NicContext nic, UdTransport ud, RcTransport rc) {
        RpcConfig config = RpcConfig.DEFAULTS.toBuilder()
                .maxInFlight(1)
                .connectTimeout(Duration.ofSeconds(30))
                .heartbeat(new HeartbeatConfig(HeartbeatConfig.DEFAULTS.interval(), Duration.ofSeconds(30)))
                .control(ControlConfig.DEFAULTS
                        .withMaxSessionsPerPeer(1 << 16)
                        .withReconnect(new ReconnectConfig(
                                false, Duration.ofMillis(20), Duration.ofMillis(500), Duration.ZERO, false)))
                .build();
        RdmaRuntime runtime = RdmaRuntime.create(
                nic,
                ud,
                rc,
                new PollingThread("rdma-poll-many", 5_000, Duration.ofMillis(1)),
                MemoryConfig.DEFAULTS,
                config);
        runtime.start();
        return runtime;
    }

    private static void serve(RdmaRuntime runtime) throws Exception {
        runtime.export(Echo.export(Executors.newVirtualThreadPerTaskExecutor()));
        try (RpcServer server = runtime.listen(new InetSocketAddress(Runtimes.LOOPBACK, 0))) {
            long before = heapBytes();
            System.out.println("LISTENING " + server.address().getPort());
            while (System.in.read() >= 0) {
                int sessions = runtime.statistics().serverSessions();
                long grown = heapBytes() - before;
                System.out.printf(
                        "server: %,d sessions, %,d bytes of heap each, %,d bytes registered in addition to the ring%n",
                        sessions, grown / Math.max(1, sessions), runtime.registeredBytes());
            }
        }
    }

    private static long heapBytes() throws InterruptedException {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            Thread.sleep(100);
            used = Math.min(
                    used,
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
        return used;
    }

    private static void call(RdmaRuntime runtime, int port, int count) throws Exception {
        Runtimes.echo(Runtimes.channel(runtime, port).session(Runtimes.LONG), 32);
        long before = heapBytes();
        long start = System.nanoTime();
        RpcSession[] sessions = connect(runtime, port, count - 1);
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.printf(
                "client: %,d sessions in %.2f s, %,.0f sessions/s, %,d bytes of heap each%n",
                count, seconds, count / seconds, (heapBytes() - before) / count);
        start = System.nanoTime();
        Runtimes.inParallel(CALLERS, number -> {
            for (int i = number; i < sessions.length; i += CALLERS) {
                Runtimes.echo(sessions[i], Echo.INLINE_ECHO.id(), 32, i);
            }
        });
        System.out.printf(
                "client: one call on each from %d threads: %.2f s%n", CALLERS, (System.nanoTime() - start) / 1e9);
        while (System.in.read() >= 0) {
            // The process that started this one inspects it now.
        }
    }

    static RpcSession[] connect(RdmaRuntime runtime, int port, int count) {
        RpcSession[] sessions = new RpcSession[count];
        Runtimes.inParallel(CALLERS, number -> {
            for (int i = number; i < count; i += CALLERS) {
                sessions[i] = Runtimes.channel(runtime, port).session(Runtimes.LONG);
            }
        });
        return sessions;
    }
}
