package io.rdmarpc.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.memory.MemoryBudget;
import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.memory.SlabPool;
import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Datagrams of an engine")
class UdTransportTest {

    private static final int SENDS = 40;

    @ParameterizedTest(name = "polled by {0}, posted by {1}")
    @CsvSource({"16, 1", "1, 1", "1, 16", "7, 3", "16, 16"})
    @DisplayName("are all complete after one poll, with any batch sizes")
    void whenManySendsHaveCompletedThenOnePollProcessesThemAll(int pollBatch, int postBatch) {
        FakeNic nic = new FakeNic(PathMtu.MTU_1024);
        nic.holdSends(true);
        try (NicContext context = nic.open();
                SlabPool slab = new SlabPool(context.protectionDomain(), new MemoryBudget(1 << 20), 1024, 16);
                AddressHandle way = context.createAddressHandle(context.gid(), FakeNic.GID, 0);
                UdTransport ud = UdTransport.open(context, new UdConfig(64, 64, 0, pollBatch, postBatch))) {
            RegisteredBlock block = slab.takeBlock();
            UdEndpoint peer = new UdEndpoint(FakeNic.GID, 0, 7, 8);
            for (int i = 0; i < SENDS; i++) {
                assertThat(ud.send(way.handle(), peer, block.address(), 100, block.lkey()))
                        .isTrue();
            }
            ud.flush();
            assertThat(ud.pollSends()).isZero();
            nic.completeSends();

            assertThat(ud.pollSends()).isPositive();
            assertThat(ud.completedSends()).isEqualTo(SENDS);
            assertThat(ud.errors()).isZero();
            block.free();
        }
        assertThat(nic.violations()).isEmpty();
    }

    @Test
    @DisplayName("leak no memory if the ring cannot be registered")
    void whenTheRingCannotBeRegisteredThenItsMemoryIsFreed() {
        FakeNic nic = new FakeNic(PathMtu.MTU_1024);
        nic.rejectMemory(true);
        try (NicContext context = nic.open()) {
            assertThatExceptionOfType(RdmaVerbsException.class)
                    .isThrownBy(() -> UdTransport.open(context, UdConfig.DEFAULTS));
        }
        assertThat(nic.rejectedMemory())
                .singleElement()
                .satisfies(ring -> assertThat(ring.scope().isAlive()).isFalse());
    }

    @Test
    @DisplayName("leak no queue pair if opening fails with an error")
    void whenAnErrorEndsTheOpeningThenTheQueuePairIsClosed() {
        FakeNic nic = new FakeNic(PathMtu.MTU_1024);
        try (NicContext context = nic.open()) {
            nic.breakMemory(new OutOfMemoryError("for the test"));
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> UdTransport.open(context, UdConfig.DEFAULTS));
        }
        assertThat(nic.violations()).isEmpty();
    }

    private static void receiveAndRelease(FakeNic nic, UdTransport ud, int packets) {
        for (int i = 0; i < packets; i++) {
            nic.receive(new byte[4], 7, FakeNic.GID);
            assertThat(ud.poll((entry, _, _) -> ud.release(entry))).isEqualTo(1);
            ud.flush();
        }
    }

    @Test
    @DisplayName("use few entries if few receives are requested, and the rest stays in reserve")
    void whenFewReceivesAreRequestedThenTheRestIsPostedWhenMoreAre() {
        FakeNic nic = new FakeNic(PathMtu.MTU_1024);
        try (NicContext context = nic.open();
                UdTransport ud = UdTransport.open(context, new UdConfig(64, 256, 0, 16, 4))) {
            ud.wantReceives(8);
            receiveAndRelease(nic, ud, 300);
            assertThat(nic.postedReceives()).isEqualTo(8);

            ud.wantReceives(20);
            ud.flush();
            assertThat(nic.postedReceives()).isEqualTo(20);

            ud.wantReceives(1000);
            ud.flush();
            assertThat(nic.postedReceives()).isEqualTo(256);
        }
        assertThat(nic.violations()).isEmpty();
    }

    @Test
    @DisplayName("that readers keep are replaced from the reserve, until it is empty")
    void whenReadersKeepEntriesThenTheReserveReplacesThem() {
        FakeNic nic = new FakeNic(PathMtu.MTU_1024);
        List<Integer> kept = new ArrayList<>();
        try (NicContext context = nic.open();
                UdTransport ud = UdTransport.open(context, new UdConfig(64, 256, 0, 16, 1))) {
            ud.wantReceives(8);
            receiveAndRelease(nic, ud, 300);
            for (int i = 0; i < 250; i++) {
                nic.receive(new byte[4], 7, FakeNic.GID);
                assertThat(ud.poll((entry, _, _) -> kept.add(entry))).isEqualTo(1);
                ud.flush();
                assertThat(nic.postedReceives()).isEqualTo(Math.min(8, 255 - i));
            }
            kept.forEach(ud::release);
            ud.flush();
            assertThat(kept).doesNotHaveDuplicates();
            assertThat(nic.postedReceives()).isEqualTo(8);
        }
        assertThat(nic.violations()).isEmpty();
    }

    @Test
    @DisplayName("have their entries posted again in batches while there is work, and all of them otherwise")
    void whenFlushedLazilyThenReceivesArePostedInBatches() {
        FakeNic nic = new FakeNic(PathMtu.MTU_1024);
        try (NicContext context = nic.open();
                UdTransport ud = UdTransport.open(context, new UdConfig(64, 256, 0, 16, 16))) {
            for (int i = 1; i <= 20; i++) {
                nic.receive(new byte[4], 7, FakeNic.GID);
                assertThat(ud.poll((entry, _, _) -> ud.release(entry))).isEqualTo(1);
                ud.flushLazily();
                assertThat(nic.postedReceives()).isEqualTo(256 - i % 8);
            }
            ud.flush();
            assertThat(nic.postedReceives()).isEqualTo(256);
        }
        assertThat(nic.violations()).isEmpty();
    }
}
