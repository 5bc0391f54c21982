package io.rdmarpc.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.remote.RemoteMemoryConfig.Limits;
import io.rdmarpc.remote.RemoteMemoryException.Reason;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Offsets and lengths beyond what 32 bits hold. The pages that nobody touches are not there. */
@Timeout(120)
@DisplayName("A region of more than 4 GiB")
class LargeRegionTest {

    private static final Map<String, String> OPTIONS = Map.of("soft.addresses", "127.0.0.1", "soft.port", "0");
    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final long FOUR_GIB = 1L << 32;
    private static final long BYTES = FOUR_GIB + (64 << 10);
    private static final int AROUND = 4096;

    private static RdmaRuntime openRuntime() {
        return RdmaRuntime.open(NicConfig.DEFAULTS.withProvider("soft", OPTIONS), Memories.PATIENT);
    }

    private static RemoteMemory openMemory(RdmaRuntime runtime) {
        Limits limits = new Limits(2 * BYTES, 2 * BYTES, 10, 10, RemoteRight.ALL, LEASE, Duration.ZERO);
        return RemoteMemory.open(
                runtime,
                RemoteMemoryConfig.DEFAULTS.withProvider("soft", OPTIONS).withLimits(limits));
    }

    @Test
    @DisplayName("is read, written and counted with at its beginning, at its end, and around 2 and 4 GiB")
    void whenARegionIsLongerThan32BitsThenAllOfItIsReached() {
        try (RdmaRuntime owning = openRuntime();
                RdmaRuntime using = openRuntime();
                RpcServer server = Memories.listen(owning);
                RemoteMemory owner = openMemory(owning);
                RemoteMemory user = openMemory(using);
                RemotePeer peer = user.peer("owner", server.address());
                RemoteRegion region = peer.allocate(BYTES, LEASE)) {
            assertThat(owner.statistics().lending().bytes()).isEqualTo(BYTES);
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
    }

    private static byte[] filled(int with) {
        byte[] bytes = new byte[AROUND];
        Arrays.fill(bytes, (byte) with);
        return bytes;
    }
}
