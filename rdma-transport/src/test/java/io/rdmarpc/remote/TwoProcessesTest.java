package io.rdmarpc.remote;

import static io.rdmarpc.remote.Memories.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.remote.RemoteMemoryException.Reason;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.runtime.JavaProcess;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.verbs.RdmaException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(240)
@DisplayName("Remote memory between two processes, one of which is killed")
class TwoProcessesTest {

    private static final int REGIONS = 8;
    private static final int BYTES = 1 << 20;

    private static Map<String, String> options(String sharedMemory) {
        return Map.of("soft.addresses", "127.0.0.1", "soft.port", "0", "soft.shared-memory.enabled", sharedMemory);
    }

    private static RdmaRuntime openRuntime(Map<String, String> options) {
        return RdmaRuntime.open(NicConfig.DEFAULTS.withProvider("soft", options), Memories.PATIENT);
    }

    private static RemoteMemory openMemory(RdmaRuntime runtime, Map<String, String> options) {
        return RemoteMemory.open(runtime, RemoteMemoryConfig.DEFAULTS.withProvider("soft", options));
    }

    private static JavaProcess start(Map<String, String> options, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of(arguments));
        options.forEach((name, value) -> all.add(name + "=" + value));
        return JavaProcess.start(MemoryProcess.class, all.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    @DisplayName("LT-07 the holder is killed amid its operations: all it had comes back, and others get it")
    void whenTheHolderIsKilledThenItsRegionsComeBack(String sharedMemory) throws Exception {
        Map<String, String> options = options(sharedMemory);
        try (RdmaRuntime runtime = openRuntime(options);
                RemoteMemory owner = openMemory(runtime, options);
                RpcServer server = Memories.listen(runtime);
                JavaProcess holder =
                        start(options, "holder", "soft", "" + server.address().getPort(), "" + REGIONS)) {
            holder.await("HOLDING");
            assertThat(owner.statistics().lending().regions()).isEqualTo(REGIONS);
            assertThat(owner.statistics().lending().bytes()).isEqualTo((long) REGIONS * BYTES);
            holder.kill();
            // One count after the other.
            await("the regions", () -> owner.statistics().lending().reclaimed() == REGIONS);
            await("none", () -> owner.statistics().lending().regions() == 0);
            await("their bytes", () -> owner.statistics().lending().bytes() == 0);
            assertThat(owner.statistics().lending().stuck()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    @DisplayName("the owner is killed amid operations: they end, the regions are lost")
    void whenTheOwnerIsKilledThenOperationsEnd(String sharedMemory) throws Exception {
        Map<String, String> options = options(sharedMemory);
        try (JavaProcess owner = start(options, "owner", "soft", "0");
                RdmaRuntime runtime = openRuntime(options);
                RemoteMemory memory = openMemory(runtime, options)) {
            int port = Integer.parseInt(owner.await("LISTENING"));
            RemotePeer peer = memory.peer("owner", new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            RemoteRegion region = peer.allocate(BYTES, Duration.ofHours(1));
            LocalRegion local = memory.allocateLocal(BYTES);
            region.write(0, local.slice());
            List<CompletableFuture<Void>> reads = new ArrayList<>();
            owner.kill();
            for (int i = 0; i < 32; i++) {
                reads.add(region.readAsync(i * 1024L, local.slice(i * 1024L, 1024)));
            }
            for (CompletableFuture<Void> read : reads) {
                assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> Memories.get(read));
            }
            await("the loss", () -> !region.isUsable());
            assertThat(Memories.reasonOf(region.readAsync(0, local.slice()))).isEqualTo(Reason.LOST);
            local.close();
            Memories.get(local.released());
        }
    }
}
