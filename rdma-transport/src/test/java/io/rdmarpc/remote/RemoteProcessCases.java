package io.rdmarpc.remote;

import static io.rdmarpc.remote.Memories.await;
import static io.rdmarpc.remote.Memories.get;
import static io.rdmarpc.remote.Memories.reasonOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.async.LocalSlice;
import io.rdmarpc.remote.lease.LendingLimits;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.runtime.JavaProcess;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.verbs.error.RdmaException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Remote memory between processes that are killed during their operations, on every provider and network. */
abstract class RemoteProcessCases {

    static final Duration LEASE = Duration.ofHours(1);
    private static final int REGIONS = 8;
    private static final int BYTES = MemoryProcess.REGION_BYTES;
    private static final int READERS = 8;

    final MemoryProvider provider;

    RemoteProcessCases(MemoryProvider provider) {
        this.provider = provider;
    }

    final JavaProcess start(String role, int port, String... more) throws IOException {
        List<String> all = new ArrayList<>(List.of(role, provider.provider(), Integer.toString(port)));
        all.addAll(List.of(more));
        provider.options().forEach((name, value) -> all.add(name + "=" + value));
        return JavaProcess.start(MemoryProcess.class, all.toArray(String[]::new));
    }

    final RemoteMemory openMemory(RdmaRuntime runtime, LendingLimits limits) {
        return RemoteMemory.open(runtime, provider.config().withLimits(limits));
    }

    private static LendingLimits forAllRegionsOfOne() {
        long all = (long) REGIONS * BYTES;
        return new LendingLimits(all, all, 100, 10, RemoteRight.ALL, LEASE, Duration.ofMillis(50));
    }

    @Test
    @DisplayName("LT-07 if the holder is killed during operations, its regions are reclaimed, zeroed and reused")
    void whenTheHolderIsKilledThenItsMemoryIsReused() throws Exception {
        AtomicInteger writes = new AtomicInteger();
        try (RdmaRuntime runtime = provider.openRuntime();
                RdmaRuntime another = provider.openRuntime();
                RemoteMemory owner = openMemory(runtime, forAllRegionsOfOne());
                RemoteMemory user = openMemory(another, LendingLimits.DEFAULTS);
                RpcServer server = Memories.listen(runtime);
                JavaProcess holder = start("holder", server.address().getPort(), "" + REGIONS)) {
            owner.onWrite(_ -> writes.incrementAndGet());
            holder.await("HOLDING");
            RemotePeer peer = user.peer("owner", server.address());
            assertThat(reasonOf(peer.allocateAsync(BYTES, RemoteRight.ALL, LEASE)))
                    .isEqualTo(Reason.QUOTA);
            await("writes of the holder", () -> writes.get() > 2 * REGIONS);
            holder.kill();
            await("reclaimed regions", () -> owner.statistics().lending().reclaimed() == REGIONS);
            await("release of their bytes", () -> owner.statistics().lending().bytes() == 0);
            for (int i = 0; i < REGIONS; i++) {
                assertThat(peer.allocate(BYTES, LEASE).read(0, BYTES)).containsOnly(0);
            }
            assertThat(owner.statistics().lending().stuck()).isZero();
        }
    }

    @Test
    @DisplayName("if the owner is killed during READs, they fail, the region is lost, and local memory is released")
    void whenTheOwnerIsKilledThenReadsInProgressFail() throws Exception {
        try (JavaProcess owner = start("owner", 0);
                RdmaRuntime runtime = provider.openRuntime();
                RemoteMemory memory = openMemory(runtime, LendingLimits.DEFAULTS)) {
            int port = Integer.parseInt(owner.await("LISTENING"));
            RemotePeer peer = memory.peer("owner", new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            RemoteRegion region = peer.allocate(BYTES, LEASE);
            LocalRegion local = memory.allocateLocal(BYTES);
            AtomicInteger done = new AtomicInteger();
            List<CompletableFuture<RdmaException>> readers = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                LocalSlice slice = local.slice(i * (long) (BYTES / READERS), BYTES / READERS);
                readers.add(CompletableFuture.supplyAsync(
                        () -> readUntilItFails(region, slice, done), Thread::startVirtualThread));
            }
            await("READs in progress", () -> done.get() > 2 * READERS);
            owner.kill();
            assertThat(readers).allSatisfy(reader -> assertThat(get(reader)).isNotNull());
            // Counts operations in progress at the kill, not those rejected after the loss was known.
            assertThat(memory.statistics().use().failed()).isPositive();
            await("loss of the region", () -> !region.isUsable());
            assertThat(reasonOf(region.readAsync(0, local.slice()))).isEqualTo(Reason.LOST);
            local.close();
            get(local.released());
        }
    }

    private static RdmaException readUntilItFails(RemoteRegion region, LocalSlice into, AtomicInteger done) {
        try {
            while (true) {
                region.read(0, into);
                done.incrementAndGet();
            }
        } catch (RdmaException e) {
            return e;
        }
    }
}
