package io.rdmarpc.rpc.runtime;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.config.HeartbeatConfig;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.transport.NicConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;

/**
 * One end of an echo between two processes.
 *
 * <pre>
 *   server PROVIDER DEVICE PORT [option=value...]       prints "LISTENING port", ends when its standard input ends
 *   client PROVIDER DEVICE PORT CALLS [option=value...] prints its results; status 1 if a response was wrong;
 *                                                       with hold=true it prints "HOLDING" and keeps its session until
 *                                                       its standard input ends
 *   patience=SECONDS                                    heartbeat timeout for the peer
 *   host=ADDRESS                                        the server's address, instead of the loopback address
 * </pre>
 */
public final class EchoProcess {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private EchoProcess() {}

    /**
     * Runs one end.
     *
     * @param args see the class
     */
    public static void main(String[] args) throws Exception {
        boolean server = args[0].equals("server");
        int options = server ? 4 : 5;
        Map<String, String> settings = options(args, options);
        String host = settings.getOrDefault("host", "127.0.0.1");
        settings.remove("host");
        boolean hold = Boolean.parseBoolean(settings.remove("hold"));
        RpcConfig config = config(settings.remove("patience"));
        NicConfig nic = new NicConfig(args[1], args[2], 1, NicConfig.AUTO_GID, NicConfig.AUTO_MTU, settings);
        InetSocketAddress address = new InetSocketAddress(host, Integer.parseInt(args[3]));
        try (RdmaRuntime runtime = RdmaRuntime.open(nic, config)) {
            if (server) {
                serve(runtime, address);
            } else {
                System.exit(echo(runtime, address, Integer.parseInt(args[4]), hold) ? 0 : 1);
            }
        }
    }

    /** A peer on an emulated, busy CPU may be silent for longer than a real one. */
    private static RpcConfig config(String patienceSeconds) {
        if (patienceSeconds == null) {
            return RpcConfig.DEFAULTS;
        }
        Duration patience = Duration.ofSeconds(Long.parseLong(patienceSeconds));
        return RpcConfig.DEFAULTS.toBuilder()
                .connectTimeout(patience)
                .heartbeat(new HeartbeatConfig(HeartbeatConfig.DEFAULTS.interval(), patience))
                .build();
    }

    private static Map<String, String> options(String[] args, int from) {
        Map<String, String> options = new HashMap<>();
        for (String option : Arrays.asList(args).subList(from, args.length)) {
            int equals = option.indexOf('=');
            options.put(option.substring(0, equals), option.substring(equals + 1));
        }
        return options;
    }

    private static void serve(RdmaRuntime runtime, InetSocketAddress address) throws IOException {
        runtime.export(Echo.export(Executors.newVirtualThreadPerTaskExecutor()));
        runtime.export(StreamEcho.export(Executors.newVirtualThreadPerTaskExecutor()));
        try (RpcServer server = runtime.listen(address)) {
            System.out.println("LISTENING " + server.address().getPort());
            awaitEndOfInput();
        }
    }

    /** Waits until the process that started this one closes its standard input. */
    private static void awaitEndOfInput() throws IOException {
        int next = System.in.read();
        while (next >= 0) {
            next = System.in.read();
        }
    }

    private static boolean echo(RdmaRuntime runtime, InetSocketAddress address, int calls, boolean hold)
            throws Exception {
        try (RpcChannel channel = runtime.channel("echo", address)) {
            RpcSession session = channel.session(TIMEOUT);
            channel.verify(session, Echo.CONTRACT);
            System.out.println(session.info());
            boolean right = sizes(session);
            right &= sequential(session, calls);
            System.out.println(runtime.statistics());
            if (hold) {
                System.out.println("HOLDING");
                awaitEndOfInput();
            }
            return right;
        }
    }

    private static boolean sizes(RpcSession session) throws Exception {
        int mtu = session.maxPacketPayload();
        int[] sizes = {0, 1, 63, 64, 65, 255, 256, 257, mtu - 1, mtu, mtu + 1, 65536, 1 << 20, 16 << 20};
        boolean right = true;
        for (int size : sizes) {
            byte[] payload = Echo.payload(size, size);
            long start = System.nanoTime();
            byte[] reply = Echo.call(session, Echo.ECHO.id(), payload, TIMEOUT).get();
            long micros = (System.nanoTime() - start) / 1000;
            String difference = Echo.difference(payload, reply);
            System.out.printf("%,12d bytes %,10d us %s%n", size, micros, difference == null ? "ok" : difference);
            right &= difference == null;
        }
        return right;
    }

    private static boolean sequential(RpcSession session, int calls) throws Exception {
        long[] nanos = new long[calls];
        byte[] payload = Echo.payload(32, 7);
        int wrong = 0;
        for (int i = 0; i < calls; i++) {
            payload[0] = (byte) i;
            long start = System.nanoTime();
            byte[] reply =
                    Echo.call(session, Echo.INLINE_ECHO.id(), payload, TIMEOUT).get();
            nanos[i] = System.nanoTime() - start;
            wrong += Echo.difference(payload, reply) == null ? 0 : 1;
        }
        Arrays.sort(nanos);
        System.out.printf(
                "%,d calls of 32 bytes, %d wrong; p50 %.1f us, p99 %.1f us%n",
                calls, wrong, nanos[calls / 2] / 1e3, nanos[(int) (calls * 0.99)] / 1e3);
        return wrong == 0;
    }
}
