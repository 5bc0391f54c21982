package io.rdmarpc.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.config.ControlConfig;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@DisplayName("Sessions without calls")
class IdleSessionTest {

    private static final Map<String, String> OPTIONS = Map.of("soft.addresses", "127.0.0.1", "soft.port", "0");
    private static final Duration IDLE_LIMIT = Duration.ofMillis(400);

    private static RdmaRuntime openRuntime() {
        ControlConfig control = ControlConfig.DEFAULTS.withSessionIdleTimeout(IDLE_LIMIT);
        return RdmaRuntime.open(
                NicConfig.DEFAULTS.withProvider("soft", OPTIONS),
                Memories.PATIENT.toBuilder().control(control).build());
    }

    private static RemoteMemory openMemory(RdmaRuntime runtime) {
        return RemoteMemory.open(runtime, RemoteMemoryConfig.DEFAULTS.withProvider("soft", OPTIONS));
    }

    @Test
    @DisplayName("stay open while memory is lent over them, and close afterwards")
    void whenMemoryIsLentThenTheSessionIsNotIdle() throws InterruptedException {
        try (RdmaRuntime owning = openRuntime();
                RdmaRuntime using = openRuntime();
                RpcServer server = Memories.listen(owning);
                RemoteMemory owner = openMemory(owning);
                RemoteMemory user = openMemory(using)) {
            RemotePeer peer = user.peer("owner", server.address());
            RemoteRegion region = peer.allocate(64, Duration.ofMinutes(1));
            Thread.sleep(IDLE_LIMIT.multipliedBy(3));
            assertThat(region.isUsable()).isTrue();
            assertThat(region.getAndAdd(0, 1)).isZero();
            assertThat(owner.statistics().lending().regions()).isOne();
            peer.close();
            Memories.await("the end of the session", () -> owning.statistics().serverSessions() == 0);
        }
    }
}
