package io.rdmarpc.remote;

import static io.rdmarpc.remote.Memories.get;
import static io.rdmarpc.remote.Memories.reasonOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.async.LocalSlice;
import io.rdmarpc.async.error.RdmaOperationRejectedException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RegionGrant;
import io.rdmarpc.remote.lease.RemoteRight;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Reads, writes, atomics and batches, on every provider and network. */
abstract class RemoteOperationCases extends RemoteMemoryFixture {

    RemoteOperationCases(MemoryProvider provider) {
        super(provider);
    }

    @Test
    @DisplayName("OS-01 allocated memory is zeroed, written and read, whole and in parts")
    void shouldReadWhatWasWritten() {
        try (RemoteRegion region = peer.allocate(64 * KB, LONG);
                LocalRegion local = user.allocateLocal(64 * KB)) {
            assertThat(region.read(0, 64 * KB)).containsOnly(0);
            byte[] all = pattern(64 * KB, 1);
            region.write(0, local.slice().put(all));
            local.slice().writable().fill((byte) 0);
            region.read(0, local.slice());
            assertThat(local.slice().toBytes()).isEqualTo(all);

            RemoteRegion part = region.slice(1_000, 100);
            part.write(10, pattern(90, 7));
            assertThat(region.read(1_010, 90)).isEqualTo(pattern(90, 7));
            assertThat(part.length()).isEqualTo(100);
            assertThat(region.read(999, 11)).isEqualTo(Arrays.copyOfRange(all, 999, 1_010));
        }
        assertThat(owner.statistics().lending().freed()).isOne();
    }

    @Test
    @DisplayName("OS-01 one write and one read above the maximum message of rxe")
    void whenAnOperationIsLongerThanAMessageThenAllOfItArrives() {
        int bytes = (8 << 20) + KB;
        try (RemoteRegion region = peer.allocate(bytes, LONG);
                LocalRegion local = user.allocateLocal(bytes)) {
            byte[] all = pattern(bytes, 6);
            region.write(0, local.slice().put(all));
            local.slice().writable().fill((byte) 0);
            region.read(0, local.slice());
            assertThat(local.slice().toBytes()).isEqualTo(all);
            assertThat(user.statistics().use().readBytes()).isEqualTo(bytes);
        }
    }

    @Test
    @DisplayName("OS-01 many concurrent operations on one region")
    void whenOperationsAreManyThenAllComplete() {
        int count = 200;
        try (RemoteRegion region = get(peer.allocateAsync(count * 64L, RemoteRight.ALL, LONG));
                LocalRegion local = user.allocateLocal(count * 64L)) {
            local.slice().put(pattern(count * 64, 3));
            List<CompletableFuture<Void>> writes = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                writes.add(region.writeAsync(i * 64L, local.slice(i * 64L, 64)));
            }
            writes.forEach(Memories::get);
            assertThat(region.read(0, count * 64)).isEqualTo(pattern(count * 64, 3));
            assertThat(user.statistics().use().writes()).isEqualTo(count);
            assertThat(user.statistics().use().writtenBytes()).isEqualTo(count * 64L);
            assertThat(user.statistics().use().reads()).isOne();
            assertThat(user.statistics().use().readBytes()).isEqualTo(count * 64L);
        }
    }

    @Test
    @DisplayName("OS-01 operations submitted before a connection exists start in order")
    void whenNoConnectionExistsYetThenOperationsKeepTheirOrder() {
        int count = 100;
        try (RemoteRegion region = peer.allocate(64, LONG);
                LocalRegion local = user.allocateLocal(count * 8L)) {
            List<CompletableFuture<Void>> writes = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                LocalSlice word = local.slice(i * 8L, 8);
                word.writable().set(ValueLayout.JAVA_LONG, 0, i);
                writes.add(region.writeAsync(0, word));
            }
            writes.forEach(Memories::get);
            assertThat(MemorySegment.ofArray(region.read(0, 8)).get(ValueLayout.JAVA_LONG_UNALIGNED, 0))
                    .isEqualTo(count - 1);
        }
    }

    @Test
    @DisplayName("OS-03 compare-and-swap and get-and-add return the original value")
    void shouldCompareSwapAndAdd() {
        try (RemoteRegion region = peer.allocate(64, LONG)) {
            assertThat(region.compareAndSwap(8, 0, 41)).isZero();
            assertThat(region.compareAndSwap(8, 0, 99)).isEqualTo(41);
            assertThat(region.getAndAdd(8, 1)).isEqualTo(41);
            assertThat(region.getAndAdd(8, 0)).isEqualTo(42);
        }
    }

    @Test
    @DisplayName("OS-03 concurrent atomics of 8 peers, by get-and-add and compare-and-swap, give the exact sum")
    void whenEightPeersCountAtOnceThenTheSumIsExact() {
        int peers = 8;
        int adds = 100;
        int swaps = 20;
        Set<Long> found = ConcurrentHashMap.newKeySet();
        try (LocalRegion memory = owner.allocateLocal(64)) {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < peers; i++) {
                RemotePeer holder = user.peer("holder " + i, server.address());
                RegionGrant grant = owner.grant(memory.slice(8, 16), EnumSet.of(RemoteRight.ATOMIC), LONG);
                all.add(CompletableFuture.runAsync(
                        () -> {
                            RemoteRegion words = holder.open(grant.token());
                            for (int j = 0; j < adds; j++) {
                                found.add(words.getAndAdd(0, 3));
                                if (j < swaps) {
                                    addOneBySwapping(words, 8);
                                }
                            }
                            holder.close();
                        },
                        Thread::startVirtualThread));
            }
            all.forEach(Memories::get);
            assertThat(memory.slice(8, 8).readable().get(ValueLayout.JAVA_LONG, 0))
                    .isEqualTo(3L * peers * adds);
            assertThat(memory.slice(16, 8).readable().get(ValueLayout.JAVA_LONG, 0))
                    .isEqualTo((long) peers * swaps);
            assertThat(found).hasSize(peers * adds);
        }
    }

    private static void addOneBySwapping(RemoteRegion words, long at) {
        long expected = 0;
        long found = words.compareAndSwap(at, expected, expected + 1);
        while (found != expected) {
            expected = found;
            found = words.compareAndSwap(at, expected, expected + 1);
        }
    }

    @Test
    @DisplayName("OS-01 arrays with futures")
    void whenArraysAreReadAndWrittenWithFuturesThenTheyArrive() {
        try (RemoteRegion region = peer.allocate(64 * KB, LONG)) {
            List<CompletableFuture<Void>> writes = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                writes.add(region.writeAsync(i * (long) KB, pattern(KB, i)));
            }
            writes.forEach(Memories::get);
            for (int i = 0; i < 64; i++) {
                assertThat(get(region.readAsync(i * (long) KB, KB))).isEqualTo(pattern(KB, i));
            }
            assertThat(reasonOf(region.readAsync(1, 64 * KB))).isEqualTo(Reason.BOUNDS);
            assertThat(reasonOf(region.writeAsync(-1, new byte[1]))).isEqualTo(Reason.BOUNDS);
        }
    }

    @Test
    @DisplayName("LT-04 a region with cancelled operations is freed after the device has completed them")
    void whenOperationsAreCancelledThenTheRegionEndsAfterThem() {
        int count = 64;
        RemoteRegion region = peer.allocate(count * 16L * KB, LONG);
        try (LocalRegion local = user.allocateLocal(count * 16L * KB)) {
            for (int i = 0; i < count; i++) {
                region.readAsync(i * 16L * KB, local.slice(i * 16L * KB, 16 * KB))
                        .cancel(true);
            }
            region.free();
            assertThat(user.statistics().use().failed()).isZero();
            assertThat(local.slice().toBytes()).containsOnly(0);
        }
    }

    @Test
    @DisplayName("a batch gathers slices into a region, scatters them again, and completes as one")
    void whenABatchRunsThenAllItsOperationsComplete() {
        try (RemoteRegion region = peer.allocate(300, LONG);
                LocalRegion local = user.allocateLocal(KB)) {
            local.slice(0, 100).put(pattern(100, 1));
            local.slice(500, 200).put(pattern(200, 2));
            user.batch()
                    .gather(region, 0, List.of(local.slice(0, 100), local.slice(500, 200)))
                    .run();
            assertThat(region.read(0, 100)).isEqualTo(pattern(100, 1));
            assertThat(region.read(100, 200)).isEqualTo(pattern(200, 2));
            user.batch()
                    .scatter(region, 100, List.of(local.slice(0, 50), local.slice(100, 150)))
                    .run();
            assertThat(local.slice(0, 50).toBytes()).isEqualTo(Arrays.copyOf(pattern(200, 2), 50));
            assertThat(local.slice(100, 150).toBytes()).isEqualTo(Arrays.copyOfRange(pattern(200, 2), 50, 200));
            RemoteBatch wrong = user.batch().read(region, 0, local.slice(0, 8)).read(region, 299, local.slice(8, 8));
            assertThat(reasonOf(wrong.startAsync())).isEqualTo(Reason.BOUNDS);
        }
    }

    @Test
    @DisplayName("LT-10 one byte beyond the region: this side and the NIC reject it, and the region stays usable")
    void whenOutOfBoundsThenBothSidesRejectTheOperation() {
        try (RemoteRegion region = peer.allocate(1_000, LONG);
                LocalRegion local = user.allocateLocal(KB)) {
            assertThat(reasonOf(region.readAsync(1, local.slice(0, 1_000)))).isEqualTo(Reason.BOUNDS);
            assertThat(reasonOf(region.writeAsync(-1, local.slice(0, 8)))).isEqualTo(Reason.BOUNDS);
            assertThat(reasonOf(region.slice(0, 8).getAndAddAsync(1, 1))).isEqualTo(Reason.BOUNDS);
            assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> region.slice(1, 1_000));
            assertRejectedByTheNic(rawRead(region, 1, local.slice(0, 1_000)));
            assertRejectedByTheNic(rawWrite(region, -1, local.slice(0, 8)));
            region.write(992, pattern(8, 5));
            assertThat(region.read(992, 8)).isEqualTo(pattern(8, 5));
            assertThat(user.statistics().use().rejected()).isEqualTo(3);
        }
    }

    @Test
    @DisplayName("rejected operations, and their bytes, do not count as completed")
    void whenOperationsAreRejectedThenTheyDoNotCountAsCompleted() {
        try (LocalRegion memory = owner.allocateLocal(64);
                LocalRegion local = user.allocateLocal(64)) {
            RegionGrant grant = owner.grant(memory.slice(), RemoteRight.ALL, LONG);
            RemoteRegion region = peer.open(grant.token());
            assertRejectedByTheNic(rawRead(region, -1, local.slice()));
            region.free();
            assertThat(reasonOf(region.readAsync(0, local.slice()))).isEqualTo(Reason.CLOSED);
            assertThat(reasonOf(region.writeAsync(0, local.slice()))).isEqualTo(Reason.CLOSED);
            assertThat(reasonOf(region.writeWithNotifyAsync(0, local.slice(), 1)))
                    .isEqualTo(Reason.CLOSED);
            assertThat(reasonOf(region.getAndAddAsync(0, 1))).isEqualTo(Reason.CLOSED);
            RemoteMemoryStatistics.Use use = user.statistics().use();
            assertThat(use.rejected()).isEqualTo(4);
            assertThat(List.of(use.reads(), use.readBytes(), use.writes(), use.writtenBytes(), use.atomics()))
                    .containsOnly(0L);
        }
    }

    @Test
    @DisplayName("operations on memory of another RemoteMemory are rejected, because its keys are not valid here")
    void whenASliceIsOfAnotherMemoryThenItIsRejected() {
        try (RemoteRegion region = peer.allocate(64, LONG);
                LocalRegion local = user.allocateLocal(64);
                LocalRegion foreign = owner.allocateLocal(64)) {
            region.write(0, local.slice().put(pattern(64, 3)));
            assertThatExceptionOfType(RdmaOperationRejectedException.class)
                    .isThrownBy(() -> get(region.readAsync(0, foreign.slice())))
                    .withMessageContaining("another node");
            assertThatExceptionOfType(RdmaOperationRejectedException.class)
                    .isThrownBy(() -> get(region.writeAsync(0, foreign.slice())));
            assertThat(region.read(0, 64)).isEqualTo(pattern(64, 3));
        }
    }

    @Test
    @DisplayName("a callback may wait for another future without a deadlock")
    void whenACallbackWaitsForAnotherFutureThenItCompletes() {
        try (LocalRegion memory = owner.allocateLocal(KB)) {
            RemoteRegion region = get(peer.connectAsync().thenApply(_ -> peer.allocate(KB, LONG)));
            byte[] read = get(peer.allocateAsync(KB, RemoteRight.ALL, LONG).thenApply(other -> other.read(0, 8)));
            assertThat(read).containsOnly(0);
            get(region.renewAsync(LONG).thenRun(() -> region.renew(LONG)));
            get(region.freeAsync().thenRun(() -> peer.allocate(KB, LONG).free()));
            RegionGrant grant = owner.grant(memory.slice(), Set.of(RemoteRight.READ), LONG);
            CompletableFuture<Void> next = grant.ended()
                    .thenRun(() -> owner.grant(memory.slice(), Set.of(RemoteRight.READ), LONG)
                            .close());
            grant.close();
            get(next);
        }
    }
}
