package io.rdmarpc.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.remote.lease.LendingLimits;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RegionGrant;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests offsets and lengths beyond 32 bits. Pages that no test touches are not allocated. */
@Timeout(120)
@DisplayName("A region of more than 4 GiB")
class LargeRegionTest {

    static final Duration LEASE = Duration.ofMinutes(10);
    private static final long FOUR_GIB = 1L << 32;
    static final long BYTES = FOUR_GIB + (64 << 10);
    private static final int AROUND = 4096;
    private static final Path IN_MEMORY = Path.of("/dev/shm");

    private static Map<String, String> options(boolean sharedMemory) {
        return Map.of(
                "soft.addresses", "127.0.0.1",
                "soft.port", "0",
                "soft.shared-memory.enabled", Boolean.toString(sharedMemory));
    }

    private static RdmaRuntime openRuntime(boolean sharedMemory) {
        return RdmaRuntime.open(NicConfig.DEFAULTS.withProvider("soft", options(sharedMemory)), Memories.PATIENT);
    }

    static LendingLimits limits() {
        return new LendingLimits(2 * BYTES, 2 * BYTES, 10, 10, RemoteRight.ALL, LEASE, Duration.ZERO);
    }

    private static RemoteMemory openMemory(RdmaRuntime runtime, boolean sharedMemory) {
        return RemoteMemory.open(
                runtime,
                RemoteMemoryConfig.DEFAULTS
                        .withProvider("soft", options(sharedMemory))
                        .withLimits(limits()));
    }

    @Test
    @DisplayName("supports read, write and atomics at its start, at its end, and around 2 and 4 GiB")
    void whenAnAllocationIsLongerThan32BitsThenAllOfItIsReached() {
        try (RdmaRuntime owning = openRuntime(true);
                RdmaRuntime using = openRuntime(true);
                RpcServer server = Memories.listen(owning);
                RemoteMemory owner = openMemory(owning, true);
                RemoteMemory user = openMemory(using, true);
                RemotePeer peer = user.peer("owner", server.address());
                RemoteRegion region = peer.allocate(BYTES, LEASE)) {
            assertThat(owner.statistics().lending().bytes()).isEqualTo(BYTES);
            assertReachable(region);
        }
    }

    /** Uses a sparse file: without shared memory, an allocation would commit all pages. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("can be granted over shared memory and over UDP")
    void whenAGrantIsLongerThan32BitsThenAllOfItIsReached(boolean sharedMemory) throws IOException {
        assumeThat(IN_MEMORY).as("a file system in memory").isDirectory();
        Path file = Files.createTempFile(IN_MEMORY, "rdma-region", null);
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(BYTES);
        }
        try (RdmaRuntime owning = openRuntime(sharedMemory);
                RdmaRuntime using = openRuntime(sharedMemory);
                RpcServer server = Memories.listen(owning);
                RemoteMemory owner = openMemory(owning, sharedMemory);
                RemoteMemory user = openMemory(using, sharedMemory);
                RemotePeer peer = user.peer("owner", server.address());
                LocalRegion mapped = owner.mapFile(file, true);
                RegionGrant grant = owner.grant(mapped.slice(), RemoteRight.USUAL, LEASE);
                RemoteRegion region = peer.open(grant.token())) {
            assertReachable(region);
        } finally {
            Files.delete(file);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("supports operations above the limit of the device: they are split, and count as one")
    void whenAnOperationExceedsTheDeviceLimitThenItIsSplit(boolean sharedMemory) throws IOException {
        assumeThat(IN_MEMORY).as("a file system in memory").isDirectory();
        long bytes = MemoryCore.FRAGMENT_BYTES + AROUND;
        long cut = MemoryCore.FRAGMENT_BYTES - AROUND / 2;
        Path file = Files.createTempFile(IN_MEMORY, "rdma-region", null);
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(bytes);
            sparse.seek(cut);
            sparse.write(filled(1));
        }
        try (RdmaRuntime owning = openRuntime(sharedMemory);
                RdmaRuntime using = openRuntime(sharedMemory);
                RpcServer server = Memories.listen(owning);
                RemoteMemory owner = openMemory(owning, sharedMemory);
                RemoteMemory user = openMemory(using, sharedMemory);
                RemotePeer peer = user.peer("owner", server.address());
                LocalRegion mapped = owner.mapFile(file, true);
                LocalRegion local = user.allocateLocal(bytes);
                RegionGrant grant = owner.grant(mapped.slice(), RemoteRight.USUAL, LEASE);
                RemoteRegion region = peer.open(grant.token())) {
            region.read(0, local.slice());
            assertThat(local.slice(cut, AROUND).toBytes()).isEqualTo(filled(1));
            local.slice(cut, AROUND).put(filled(2));
            local.slice(bytes - 8, 8).put(new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
            region.write(0, local.slice());
            assertThat(mapped.slice(cut, AROUND).toBytes()).isEqualTo(filled(2));
            assertThat(mapped.slice(bytes - 8, 8).toBytes()).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
            RemoteMemoryStatistics.Use use = user.statistics().use();
            assertThat(use.reads()).isOne();
            assertThat(use.readBytes()).isEqualTo(bytes);
            assertThat(use.writes()).isOne();
            assertThat(use.writtenBytes()).isEqualTo(bytes);
        } finally {
            Files.delete(file);
        }
    }

    static void assertReachable(RemoteRegion region) {
        long[] places = {0, (1L << 31) - AROUND / 2, FOUR_GIB - AROUND / 2, BYTES - AROUND};
        for (int i = 0; i < places.length; i++) {
            region.write(places[i], filled(i + 1));
        }
        for (int i = 0; i < places.length; i++) {
            assertThat(region.read(places[i], AROUND)).isEqualTo(filled(i + 1));
        }
        assertThat(region.getAndAdd(FOUR_GIB + AROUND, 1)).isZero();
        assertThat(region.slice(FOUR_GIB, BYTES - FOUR_GIB).getAndAdd(AROUND, 1))
                .isOne();
        assertThat(Memories.reasonOf(region.readAsync(BYTES - 1, 2))).isEqualTo(Reason.BOUNDS);
        assertThat(Memories.reasonOf(region.readAsync(Long.MAX_VALUE, 2))).isEqualTo(Reason.BOUNDS);
    }

    private static byte[] filled(int with) {
        byte[] bytes = new byte[AROUND];
        Arrays.fill(bytes, (byte) with);
        return bytes;
    }
}
