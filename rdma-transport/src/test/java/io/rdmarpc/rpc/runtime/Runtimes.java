package io.rdmarpc.rpc.runtime;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.config.HeartbeatConfig;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.transport.NicConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/** Running engines on the software RNIC at 127.0.0.1, and operations of tests on them. */
final class Runtimes {

    /** Longer than any operation takes, even on a busy machine. */
    static final Duration LONG = Duration.ofSeconds(60);

    static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    /** The defaults, but no peer counts as dead because the test machine stalled for some seconds. */
    static final RpcConfig PATIENT = config(Duration.ofSeconds(30), RpcConfig.DEFAULTS.connectTimeout());

    private Runtimes() {}

    static RdmaRuntime open(String... options) {
        return open(PATIENT, options);
    }

    /** Opens a runtime with options of the form name=value. */
    static RdmaRuntime open(RpcConfig config, String... options) {
        return RdmaRuntime.open(nic(options), config);
    }

    /** A software RNIC at 127.0.0.1, on its own port, with options of the form name=value. */
    static NicConfig nic(String... options) {
        Map<String, String> all = new HashMap<>(Map.of("soft.addresses", "127.0.0.1", "soft.port", "0"));
        for (String option : options) {
            int equals = option.indexOf('=');
            all.put(option.substring(0, equals), option.substring(equals + 1));
        }
        return NicConfig.DEFAULTS.withProvider("soft", all);
    }

    /** The defaults with other timeouts. */
    static RpcConfig config(Duration heartbeatTimeout, Duration connectTimeout) {
        return RpcConfig.DEFAULTS.toBuilder()
                .connectTimeout(connectTimeout)
                .heartbeat(new HeartbeatConfig(heartbeatTimeout.dividedBy(4), heartbeatTimeout))
                .build();
    }

    static RpcServer listen(RdmaRuntime runtime) {
        return runtime.listen(new InetSocketAddress(LOOPBACK, 0));
    }

    /** Returns a port for servers that are restarted on it: outside the range of ephemeral ports of clients. */
    static int stablePort() {
        for (int i = 0; i < 1_000; i++) {
            int port = ThreadLocalRandom.current().nextInt(20_000, 30_000);
            try (ServerSocket probe = new ServerSocket(port, 1, LOOPBACK)) {
                return probe.getLocalPort();
            } catch (IOException e) {
                // In use: try another one.
            }
        }
        throw new AssertionError("no free port from 20000 to 29999");
    }

    static RpcChannel channel(RdmaRuntime runtime, RpcServer server) {
        return channel(runtime, server.address().getPort());
    }

    static RpcChannel channel(RdmaRuntime runtime, int port) {
        return runtime.channel("test", new InetSocketAddress(LOOPBACK, port));
    }

    /** Calls, and verifies the echo. */
    static void echo(RpcSession session, int methodId, int length, long seed) {
        byte[] payload = Echo.payload(length, seed);
        byte[] reply = get(Echo.call(session, methodId, payload, LONG));
        String difference = Echo.difference(payload, reply);
        if (difference != null) {
            throw new AssertionError(difference);
        }
    }

    static void echo(RpcSession session, int length) {
        echo(session, Echo.ECHO.id(), length, length);
    }

    /** Waits for a result; failures of the engine are rethrown unchanged. */
    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(LONG.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RdmaRpcException failure) {
                throw failure;
            }
            throw new AssertionError(e.getCause());
        } catch (TimeoutException | InterruptedException e) {
            throw new AssertionError("no result within " + LONG, e);
        }
    }

    /** Waits for a condition that another thread fulfills. */
    static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + LONG.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited " + LONG + " for: " + what);
            }
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    static Duration since(long startNanos) {
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }

    /** Returns the names of the threads of all runtimes in this process. */
    static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("rdma-"))
                .toList();
    }

    /** Runs a task in many threads and rethrows the first failure. */
    static void inParallel(int threads, ThreadTask task) {
        CompletableFuture<?>[] ends = new CompletableFuture<?>[threads];
        for (int i = 0; i < threads; i++) {
            int number = i;
            CompletableFuture<Void> end = new CompletableFuture<>();
            ends[i] = end;
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    task.run(number);
                    end.complete(null);
                } catch (Throwable e) {
                    end.completeExceptionally(e);
                }
            });
        }
        Arrays.stream(ends).forEach(Runtimes::get);
    }

    /** The task of one of several threads. */
    @FunctionalInterface
    interface ThreadTask {
        void run(int number) throws Exception;
    }
}
