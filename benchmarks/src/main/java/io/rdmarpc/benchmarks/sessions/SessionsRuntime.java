package io.rdmarpc.benchmarks.sessions;

import io.rdmarpc.memory.MemoryConfig;
import io.rdmarpc.rpc.config.ControlConfig;
import io.rdmarpc.rpc.config.HeartbeatConfig;
import io.rdmarpc.rpc.config.ReconnectConfig;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.runtime.IdlePolicy;
import io.rdmarpc.rpc.runtime.PollingThread;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdConfig;
import io.rdmarpc.transport.UdTransport;
import java.time.Duration;
import java.util.Map;

/** A runtime with one polling thread and a receive ring for many sessions, on the software RNIC over shared memory. */
final class SessionsRuntime implements AutoCloseable {

    /** Ring entries for borrowed credits, in addition to those that the sessions own. */
    private static final int BORROWED = 256;

    private static final int WINDOW = 16;
    private static final int IDLE_SPINS = 5000;
    private static final Map<String, String> OPTIONS = Map.of("soft.addresses", "127.0.0.1", "soft.port", "0");
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final NicContext nic;
    private final UdTransport ud;
    private final RcTransport rc;
    private final RdmaRuntime runtime;
    private final long ringBytes;

    /**
     * Opens a runtime.
     *
     * @param sessions number of sessions for which the receive ring has space
     * @param mtuBytes path MTU in bytes, which is the size of a ring entry
     * @param idle idle policy of the polling thread
     */
    SessionsRuntime(int sessions, int mtuBytes, IdlePolicy idle) {
        nic = NicContext.open(new NicConfig("soft", NicConfig.AUTO, 1, NicConfig.AUTO_GID, mtuBytes, OPTIONS));
        int depth = sessions + BORROWED;
        ud = UdTransport.open(nic, new UdConfig(256, depth, UdConfig.AUTO_INLINE));
        rc = RcTransport.open(nic, RcConfig.DEFAULTS);
        ringBytes = ud.ringMemory().byteSize();
        runtime = RdmaRuntime.create(
                nic,
                ud,
                rc,
                new PollingThread("rdma-poll-sessions", idle, IDLE_SPINS, Duration.ofMillis(1)),
                MemoryConfig.DEFAULTS,
                config(sessions));
        runtime.start();
    }

    /** Allows one peer to use the whole ring, because all sessions belong to this host. */
    private static RpcConfig config(int sessions) {
        ReconnectConfig never =
                new ReconnectConfig(false, Duration.ofMillis(20), Duration.ofMillis(500), Duration.ZERO, false);
        return RpcConfig.DEFAULTS.toBuilder()
                .maxInFlight(WINDOW)
                .connectTimeout(LIMIT)
                .heartbeat(new HeartbeatConfig(HeartbeatConfig.DEFAULTS.interval(), LIMIT))
                .control(ControlConfig.DEFAULTS.withReconnect(never).withMaxSessionsPerPeer(sessions))
                .build();
    }

    RdmaRuntime runtime() {
        return runtime;
    }

    long ringBytes() {
        return ringBytes;
    }

    long registeredBytes() {
        return runtime.registeredBytes();
    }

    /** Returns the used heap after a collection, the minimum of several tries. */
    static long heapBytes() throws InterruptedException {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            Thread.sleep(50);
            used = Math.min(
                    used,
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
        return used;
    }

    @Override
    public void close() {
        runtime.close();
        rc.close();
        ud.close();
        nic.close();
    }
}
