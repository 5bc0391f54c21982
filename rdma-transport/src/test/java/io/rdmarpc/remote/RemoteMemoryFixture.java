package io.rdmarpc.remote;

import static io.rdmarpc.remote.Memories.await;
import static io.rdmarpc.remote.Memories.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.async.LocalSlice;
import io.rdmarpc.async.RdmaConnection;
import io.rdmarpc.async.error.RdmaOperationException;
import io.rdmarpc.remote.lease.LendingLimits;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * An owner and a holder of remote memory in one process, for the tests of every provider and network. Uses no fakes.
 */
abstract class RemoteMemoryFixture {

    static final Duration LONG = Duration.ofMinutes(10);
    static final Duration SHORT = Duration.ofMillis(150);
    static final int KB = 1024;

    final MemoryProvider provider;
    RdmaRuntime owning;
    RdmaRuntime using;
    RpcServer server;
    RemoteMemory owner;
    RemoteMemory user;
    RemotePeer peer;

    RemoteMemoryFixture(MemoryProvider provider) {
        this.provider = provider;
    }

    @BeforeEach
    void open() {
        owning = provider.openRuntime();
        using = provider.openRuntime();
        server = Memories.listen(owning);
        owner = RemoteMemory.open(owning, provider.config());
        user = RemoteMemory.open(using, provider.config());
        peer = user.peer("owner", server.address());
    }

    /** Checks after every test that no lease is left. */
    @AfterEach
    void close() {
        user.close();
        await("end of all links", () -> owner.statistics().lending().links() == 0);
        RemoteMemoryStatistics.Lending left = owner.statistics().lending();
        owner.close();
        using.close();
        owning.close();
        assertThat(left.regions()).as("regions").isZero();
        assertThat(left.bytes()).as("bytes").isZero();
        assertThat(left.stuck()).as("stuck").isZero();
    }

    void reopenOwner(LendingLimits limits) {
        owner.close();
        owning.close();
        owning = provider.openRuntime();
        server = Memories.listen(owning);
        owner = RemoteMemory.open(owning, provider.config().withLimits(limits));
        peer = user.peer("owner", server.address());
    }

    static byte[] pattern(int length, int seed) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 31 + seed);
        }
        return bytes;
    }

    /** Starts an operation without the checks of this side, as a misbehaving peer would. */
    static CompletableFuture<Void> rawRead(RemoteRegion region, long offset, LocalSlice into) {
        RdmaConnection connection = get(region.lease().link().path().connect());
        return connection.read(into, region.lease().range(offset, into.length()));
    }

    static CompletableFuture<Void> rawWrite(RemoteRegion region, long offset, LocalSlice from) {
        RdmaConnection connection = get(region.lease().link().path().connect());
        return connection.write(from, region.lease().range(offset, from.length()));
    }

    static CompletableFuture<Long> rawAdd(RemoteRegion region, long offset) {
        RdmaConnection connection = get(region.lease().link().path().connect());
        return connection.fetchAndAdd(region.lease().range(offset, Long.BYTES), 1);
    }

    /**
     * Asserts that the NIC rejected an operation. A queue pair sends one NAK; if it is lost, the retries are exhausted.
     */
    void assertRejectedByTheNic(CompletableFuture<?> operation) {
        List<Integer> rejections = provider.losesPackets()
                ? List.of(CompletionStatus.REM_ACCESS_ERR, CompletionStatus.RETRY_EXC_ERR)
                : List.of(CompletionStatus.REM_ACCESS_ERR);
        assertThatExceptionOfType(RdmaOperationException.class)
                .isThrownBy(() -> get(operation))
                .satisfies(failure -> assertThat(failure.status()).isIn(rejections));
    }
}
