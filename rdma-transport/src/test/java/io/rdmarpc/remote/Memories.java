package io.rdmarpc.remote;

import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.config.HeartbeatConfig;
import io.rdmarpc.rpc.config.RetransmitConfig;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.verbs.error.RdmaException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/** Helpers of tests of remote memory. */
public final class Memories {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** The defaults with long timeouts, so that a pause of the machine does not end sessions. */
    static final RpcConfig PATIENT = RpcConfig.DEFAULTS.toBuilder()
            .retransmit(RetransmitConfig.DEFAULTS.withMaxAttempts(8 * RetransmitConfig.DEFAULT_MAX_ATTEMPTS))
            .heartbeat(new HeartbeatConfig(PATIENCE.dividedBy(8), PATIENCE.dividedBy(2)))
            .build();

    private Memories() {}

    static RpcServer listen(RdmaRuntime runtime) {
        return runtime.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** Waits for a result; throws failures of the library unwrapped. */
    public static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            while (!(cause instanceof RdmaException) && cause.getCause() != null) {
                cause = cause.getCause();
            }
            if (cause instanceof RdmaException failure) {
                throw failure;
            }
            throw new AssertionError(e.getCause());
        } catch (TimeoutException | InterruptedException e) {
            throw new AssertionError("no result within " + PATIENCE, e);
        }
    }

    /** Returns the reason of a rejection; null if the operation succeeded. */
    public static Reason reasonOf(CompletableFuture<?> future) {
        try {
            get(future);
            return null;
        } catch (RdmaRemoteMemoryException e) {
            return e.reason();
        }
    }

    /** Waits for a condition that another thread makes true. */
    public static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("no " + what + " within " + PATIENCE);
            }
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
