package io.rdmarpc.remote;

import static io.rdmarpc.remote.Memories.get;
import static io.rdmarpc.remote.Memories.reasonOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.async.error.RdmaOperationException;
import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.remote.lease.LendingLimits;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RegionGrant;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of a lease at its owner and at its holder, with a clock that the test controls. */
@Timeout(120)
class LeaseEndTest {

    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final int BYTES = 64;
    private static final MemoryProvider PROVIDER = SoftRemoteMemoryTest.Network.SHARED_MEMORY;

    private final SteppingClock clock = new SteppingClock();
    private RdmaRuntime owning;
    private RdmaRuntime using;
    private RemoteMemory owner;
    private RemoteMemory user;
    private RemotePeer peer;

    /** While stepping is on, each read advances the clock, so that later reads return later times. */
    private static final class SteppingClock implements NanoClock {

        private static final long STEP = 1_000_000;

        private final AtomicLong now = new AtomicLong(1_000_000_000_000L);
        private volatile long step;

        @Override
        public long nanoTime() {
            return now.addAndGet(step);
        }

        void step(boolean on) {
            step = on ? STEP : 0;
        }

        void advance(Duration by) {
            now.addAndGet(by.toNanos());
        }
    }

    @BeforeEach
    void open() {
        RemoteMemoryConfig config = PROVIDER.config()
                .withLimits(new LendingLimits(
                        1 << 20, 1 << 20, 10, 10, RemoteRight.ALL, LEASE.multipliedBy(2), Duration.ZERO));
        owning = PROVIDER.openRuntime();
        using = PROVIDER.openRuntime();
        RpcServer server = Memories.listen(owning);
        owner = RemoteMemory.open(owning, config, clock);
        user = RemoteMemory.open(using, config, clock);
        peer = user.peer("owner", server.address());
        peer.connect();
    }

    @AfterEach
    void close() {
        user.close();
        owner.close();
        using.close();
        owning.close();
    }

    private void assertThatTheHoldersLeaseEndsFirst() {
        Duration atHolder = user.snapshot(1).held().getFirst().remaining();
        Duration atOwner = owner.snapshot(1).lent().getFirst().remaining();
        assertThat(atHolder).isLessThan(atOwner).isGreaterThan(atOwner.minusSeconds(60));
    }

    @Test
    void whenResponsesTakeTimeThenTheHoldersLeaseEndsFirst() {
        clock.step(true);
        try (RemoteRegion region = peer.allocate(BYTES, LEASE)) {
            clock.step(false);
            assertThatTheHoldersLeaseEndsFirst();
            clock.step(true);
            region.renew(LEASE.plusMinutes(5));
            clock.step(false);
            assertThatTheHoldersLeaseEndsFirst();
            clock.step(true);
            region.renew(Duration.ofMinutes(2));
            clock.step(false);
            assertThatTheHoldersLeaseEndsFirst();
        }
    }

    @Test
    void whenATokenIsOpenedThenTheHoldersLeaseEndsFirst() {
        try (LocalRegion memory = owner.allocateLocal(BYTES)) {
            RegionGrant grant = owner.grant(memory.slice(), Set.of(RemoteRight.READ), LEASE);
            clock.step(true);
            try (RemoteRegion region = peer.open(grant.token())) {
                clock.step(false);
                assertThatTheHoldersLeaseEndsFirst();
                clock.step(true);
                region.renew(LEASE);
                clock.step(false);
                assertThatTheHoldersLeaseEndsFirst();
            }
        }
    }

    /** Starts a read that the NIC rejects, and advances the clock by this time before the rejection. */
    private CompletableFuture<Void> rejectedAfter(RemoteRegion region, LocalRegion local, Duration time) {
        return region.lease()
                .run(
                        connection -> {
                            clock.advance(time);
                            return connection.read(local.slice(), region.lease().range(BYTES, BYTES));
                        },
                        () -> {});
    }

    @Test
    void whenAnOperationThatBeganInTimeIsRejectedAfterTheEndThenTheEndIsTheReason() {
        try (RemoteRegion region = peer.allocate(BYTES, LEASE);
                LocalRegion local = user.allocateLocal(BYTES)) {
            assertThat(reasonOf(rejectedAfter(region, local, LEASE))).isEqualTo(Reason.EXPIRED);
        }
    }

    @Test
    void whenAnOperationIsRejectedBeforeTheEndThenTheAccessErrorIsTheReason() {
        try (RemoteRegion region = peer.allocate(BYTES, LEASE);
                LocalRegion local = user.allocateLocal(BYTES)) {
            assertThatExceptionOfType(RdmaOperationException.class)
                    .isThrownBy(() -> get(rejectedAfter(region, local, LEASE.minusNanos(1))))
                    .satisfies(failure -> assertThat(failure.status()).isEqualTo(CompletionStatus.REM_ACCESS_ERR));
        }
    }
}
