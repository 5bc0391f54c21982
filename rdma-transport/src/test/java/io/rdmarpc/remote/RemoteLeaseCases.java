package io.rdmarpc.remote;

import static io.rdmarpc.remote.Memories.await;
import static io.rdmarpc.remote.Memories.get;
import static io.rdmarpc.remote.Memories.reasonOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.async.RdmaConnection;
import io.rdmarpc.async.RemoteMemoryRange;
import io.rdmarpc.remote.lease.LendingLimits;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RegionGrant;
import io.rdmarpc.remote.lease.RemoteMemorySnapshot;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Memory that peers allocate: rights, leases and limits, on every provider and network. */
abstract class RemoteLeaseCases extends RemoteMemoryFixture {

    RemoteLeaseCases(MemoryProvider provider) {
        super(provider);
    }

    @Test
    @DisplayName("LT-09 operations without the right are rejected by this side, and by the NIC if this side does not "
            + "check")
    void whenARightIsMissingThenBothSidesRejectTheOperation() {
        try (LocalRegion local = user.allocateLocal(64)) {
            for (Set<RemoteRight> rights : subsets()) {
                try (RemoteRegion region = peer.allocate(64, rights, LONG)) {
                    assertThat(region.rights()).isEqualTo(rights);
                    check(
                            rights,
                            RemoteRight.READ,
                            region.readAsync(0, local.slice()),
                            () -> rawRead(region, 0, local.slice()));
                    check(
                            rights,
                            RemoteRight.WRITE,
                            region.writeAsync(0, local.slice()),
                            () -> rawWrite(region, 0, local.slice()));
                    check(rights, RemoteRight.ATOMIC, region.getAndAddAsync(0, 1), () -> rawAdd(region, 0));
                    checkNotify(rights, region.writeWithNotifyAsync(0, local.slice(), 1));
                }
            }
        }
    }

    /** Checks a right that only this library enforces: for the NIC it is WRITE. */
    private static void checkNotify(Set<RemoteRight> rights, CompletableFuture<Void> operation) {
        if (rights.containsAll(Set.of(RemoteRight.WRITE, RemoteRight.NOTIFY))) {
            get(operation);
        } else {
            assertThat(reasonOf(operation)).isEqualTo(Reason.RIGHTS);
        }
    }

    private static List<Set<RemoteRight>> subsets() {
        List<Set<RemoteRight>> all = new ArrayList<>();
        for (int bits = 1; bits < 16; bits++) {
            all.add(RemoteRight.ofBits(bits));
        }
        return all;
    }

    private void check(
            Set<RemoteRight> rights,
            RemoteRight needed,
            CompletableFuture<?> operation,
            Supplier<CompletableFuture<?>> raw) {
        if (rights.contains(needed)) {
            get(operation);
        } else {
            assertThat(reasonOf(operation)).isEqualTo(Reason.RIGHTS);
            assertRejectedByTheNic(raw.get());
        }
    }

    @Test
    @DisplayName("rights beyond the owner's limits are rejected, and leases are shortened")
    void whenARequestExceedsTheLimitsThenItIsRejected() {
        reopenOwner(new LendingLimits(KB, KB, 1, 10, Set.of(RemoteRight.READ), Duration.ofSeconds(30), Duration.ZERO));
        assertThat(reasonOf(peer.allocateAsync(64, RemoteRight.ALL, LONG))).isEqualTo(Reason.RIGHTS);
        assertThat(reasonOf(peer.allocateAsync(-1, Set.of(RemoteRight.READ), LONG)))
                .isEqualTo(Reason.BOUNDS);
        try (RemoteRegion region = peer.allocate(64, Set.of(RemoteRight.READ), LONG)) {
            assertThat(region.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(30));
            assertThat(reasonOf(peer.allocateAsync(64, Set.of(RemoteRight.READ), LONG)))
                    .isEqualTo(Reason.QUOTA);
        }
        assertThat(owner.statistics().rejections().rights()).isOne();
        assertThat(owner.statistics().rejections().quota()).isOne();
        assertThat(owner.statistics().rejections().other()).isOne();
    }

    @Test
    @DisplayName("LT-07 after a lease has ended, both sides reject operations before the memory is reused")
    void whenALeaseEndsThenTheNicRejectsOperationsAndMemoryIsFree() {
        reopenOwner(new LendingLimits(8 * KB, 8 * KB, 10, 10, RemoteRight.ALL, LONG, Duration.ofMillis(20)));
        RemoteRegion first = peer.allocate(8 * KB, LONG);
        try (LocalRegion local = user.allocateLocal(64)) {
            get(rawRead(first, 0, local.slice()));
            assertThat(reasonOf(peer.allocateAsync(8 * KB, RemoteRight.ALL, LONG)))
                    .isEqualTo(Reason.QUOTA);
            assertThat(owner.statistics().rejections().quota()).isOne();
            first.renew(SHORT);
            await("the end of the lease", () -> owner.statistics().lending().expired() == 1);
            assertThat(owner.statistics().lending().bytes()).isZero();
            assertRejectedByTheNic(rawRead(first, 0, local.slice()));
            assertThat(reasonOf(first.readAsync(0, local.slice()))).isEqualTo(Reason.EXPIRED);
            assertThat(first.isUsable()).isFalse();
            try (RemoteRegion second = peer.allocate(8 * KB, LONG)) {
                second.write(0, pattern(64, 1));
                assertRejectedByTheNic(rawWrite(first, 0, local.slice()));
                assertThat(second.read(0, 64)).isEqualTo(pattern(64, 1));
            }
        }
    }

    @Test
    @DisplayName(
            "LT-07 large regions, which peers on this host can map: the NIC rejects operations after lease and grant")
    void whenTheLeaseOfALargeRegionEndsThenTheNicRejectsOperations() {
        int bytes = 1 << 20;
        try (LocalRegion memory = owner.allocateLocal(bytes);
                LocalRegion local = user.allocateLocal(bytes)) {
            memory.slice().put(pattern(bytes, 3));
            RemoteRegion leased = peer.allocate(bytes, LONG);
            RegionGrant grant = owner.grant(memory.slice(), RemoteRight.USUAL, LONG);
            RemoteRegion granted = peer.open(grant.token());
            granted.read(0, local.slice());
            assertThat(local.slice().toBytes()).isEqualTo(pattern(bytes, 3));
            leased.write(0, local.slice());
            assertThat(leased.read(0, bytes)).isEqualTo(pattern(bytes, 3));
            grant.close();
            leased.renew(SHORT);
            await("the end of the lease", () -> owner.statistics().lending().expired() == 1);
            for (RemoteRegion ended : List.of(leased, granted)) {
                assertRejectedByTheNic(rawRead(ended, 0, local.slice()));
                assertRejectedByTheNic(rawWrite(ended, 0, local.slice()));
            }
            assertThat(memory.slice().toBytes()).isEqualTo(pattern(bytes, 3));
        }
    }

    @Test
    @DisplayName("a renewed lease is extended within the owner's limit")
    void whenALeaseIsRenewedThenItIsExtended() {
        reopenOwner(new LendingLimits(KB, KB, 10, 10, RemoteRight.ALL, Duration.ofMinutes(1), Duration.ZERO));
        try (RemoteRegion region = peer.allocate(64, Duration.ofSeconds(20))) {
            assertThat(region.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(20));
            region.renew(LONG);
            assertThat(region.remaining()).isBetween(Duration.ofSeconds(30), Duration.ofMinutes(1));
        }
    }

    @Test
    @DisplayName("slices end with their region")
    void whenARegionIsFreedThenItsSlicesEnd() {
        RemoteRegion region = peer.allocate(KB, LONG);
        RemoteRegion slice = region.slice(100, 100);
        slice.write(0, new byte[100]);
        region.free();
        region.free();
        assertThat(slice.isUsable()).isFalse();
        assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                .isThrownBy(() -> slice.read(0, 1))
                .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.CLOSED));
        assertThat(owner.statistics().lending().freed()).isOne();
    }

    @Test
    @DisplayName("LT-04 allocations that are cancelled before the response are freed at the owner")
    void whenAllocationsAreCancelledThenTheyAreFreed() {
        int count = 20;
        peer.connect();
        int cancelled = 0;
        for (int i = 0; i < count; i++) {
            CompletableFuture<RemoteRegion> allocation = peer.allocateAsync(KB, RemoteRight.ALL, LONG);
            if (allocation.cancel(true)) {
                cancelled++;
            } else {
                // The response arrived before this thread cancelled the request.
                Memories.get(allocation).free();
            }
        }
        assertThat(cancelled).isPositive();
        await("release of all regions", () -> owner.statistics().lending().freed() == count);
        assertThat(owner.statistics().lending().regions()).isZero();
        assertThat(owner.statistics().lending().bytes()).isZero();
        assertThat(user.statistics().use().regions()).isZero();
    }

    @Test
    @DisplayName("many leases are usable at once, and all are freed")
    void whenLeasesAreManyThenAllAreFreed() {
        int count = provider.manyLeases();
        List<CompletableFuture<RemoteRegion>> allocations = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            allocations.add(peer.allocateAsync(64, RemoteRight.USUAL, LONG));
        }
        List<RemoteRegion> regions = allocations.stream().map(Memories::get).toList();
        assertThat(owner.statistics().lending().regions()).isEqualTo(count);
        for (int i = 0; i < count; i += 97) {
            assertThat(regions.get(i).getAndAdd(0, i)).isZero();
        }
        List<CompletableFuture<Void>> freed = new ArrayList<>();
        for (int i = 0; i < count; i += 2) {
            freed.add(regions.get(i).freeAsync());
        }
        freed.forEach(Memories::get);
        assertThat(owner.statistics().lending().freed()).isEqualTo(freed.size());
        assertThat(owner.statistics().lending().bytes()).isEqualTo(64L * (count - freed.size()));
    }

    @Test
    @DisplayName("READ, WRITE and atomics of a second peer with the first peer's key and address are rejected")
    void whenASecondPeerHasKeyAndAddressThenItIsRejected() {
        try (RdmaRuntime third = provider.openRuntime();
                RemoteMemory intruder = RemoteMemory.open(third, provider.config());
                RemoteRegion region = peer.allocate(64, LONG);
                RemoteRegion other = intruder.peer("owner", server.address()).allocate(64, LONG);
                LocalRegion local = intruder.allocateLocal(64)) {
            RemoteMemoryRange stolen = region.lease().range(0, 64);
            region.write(0, pattern(64, 4));
            local.slice().put(pattern(64, 9));

            assertRejectedByTheNic(connectionOf(other).read(local.slice(), stolen));
            assertRejectedByTheNic(connectionOf(other).write(local.slice(), stolen));
            assertRejectedByTheNic(connectionOf(other).fetchAndAdd(stolen.slice(0, 8), 1));

            assertThat(local.slice().toBytes()).as("the second peer").isEqualTo(pattern(64, 9));
            assertThat(region.read(0, 64)).as("the first peer").isEqualTo(pattern(64, 4));
            region.write(0, pattern(64, 5));
            assertThat(region.read(0, 64)).isEqualTo(pattern(64, 5));
        }
    }

    /** Every operation that the NIC rejects ends its connection; the next one uses a new connection. */
    private static RdmaConnection connectionOf(RemoteRegion region) {
        return get(region.lease().link().path().connect());
    }

    @Test
    @DisplayName("a snapshot lists regions lent, granted and held, in the order of their deadlines")
    void shouldListLeasesAndGrantsInASnapshot() {
        try (LocalRegion memory = owner.allocateLocal(KB);
                RemoteRegion longer = peer.allocate(100, LONG);
                RemoteRegion shorter = peer.allocate(200, Set.of(RemoteRight.READ), LONG.dividedBy(2))) {
            RegionGrant opened = owner.grant(memory.slice(), Set.of(RemoteRight.READ), LONG);
            owner.grant(memory.slice(0, 8), Set.of(RemoteRight.READ), LONG.multipliedBy(2));
            RemoteRegion granted = peer.open(opened.token());
            RemoteMemorySnapshot here = owner.snapshot(10);
            assertThat(here.lent())
                    .extracting(RemoteMemorySnapshot.Lent::bytes)
                    .startsWith(shorter.length())
                    .containsExactlyInAnyOrder(shorter.length(), longer.length(), granted.length());
            assertThat(here.lent())
                    .filteredOn(RemoteMemorySnapshot.Lent::granted)
                    .hasSize(1);
            assertThat(here.grants())
                    .extracting(RemoteMemorySnapshot.Granted::opened)
                    .containsExactly(true, false);
            assertThat(user.snapshot(10).held())
                    .extracting(RemoteMemorySnapshot.Held::bytes)
                    .containsExactlyInAnyOrder(100L, 200L, (long) KB);
            assertThat(user.snapshot(1).held()).hasSize(1);
            assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> user.snapshot(0));
        }
    }
}
