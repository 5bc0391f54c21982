package io.rdmarpc.benchmarks.micro;

import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.runtime.PollingConfig;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** A server's engine and a client's engine in this process, each with its own software RNIC. The caller runs both. */
final class TwoEngines implements AutoCloseable {

    final RdmaRuntime server = open();
    final RdmaRuntime client = open();

    private static RdmaRuntime open() {
        Map<String, String> options = Map.of("soft.addresses", "127.0.0.1", "soft.port", "0");
        return RdmaRuntime.open(
                NicConfig.DEFAULTS.withProvider("soft", options), RpcConfig.DEFAULTS, PollingConfig.USER_DRIVEN);
    }

    /** Starts to listen and returns the address. */
    InetSocketAddress listen() {
        return server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .address();
    }

    /** Runs a blocking action, such as connecting, while another thread runs both engines. */
    <T> T whileTurned(Supplier<T> step) {
        AtomicBoolean done = new AtomicBoolean();
        Thread turning = Thread.ofPlatform().daemon().start(() -> {
            while (!done.get()) {
                server.doWork();
                client.doWork();
            }
        });
        try {
            return step.get();
        } finally {
            done.set(true);
            awaitEnd(turning);
        }
    }

    private static void awaitEnd(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Closes both runtimes. */
    @Override
    public void close() {
        client.close();
        server.close();
    }
}
