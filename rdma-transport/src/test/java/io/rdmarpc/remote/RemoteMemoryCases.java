package io.rdmarpc.remote;

import static io.rdmarpc.remote.Memories.await;
import static io.rdmarpc.remote.Memories.get;
import static io.rdmarpc.remote.Memories.reasonOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.async.LocalSlice;
import io.rdmarpc.async.OperationRefusedException;
import io.rdmarpc.async.RdmaConnection;
import io.rdmarpc.async.RdmaOperationException;
import io.rdmarpc.remote.RemoteMemoryConfig.Limits;
import io.rdmarpc.remote.RemoteMemoryException.Reason;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.verbs.CompletionStatus;
import io.rdmarpc.verbs.RdmaException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What remote memory does on every provider, over every network: an owner and a holder in one process, without a fake. */
abstract class RemoteMemoryCases {

    static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SHORT = Duration.ofMillis(150);
    private static final int KB = 1024;

    private RdmaRuntime owning;
    private RdmaRuntime using;
    private RpcServer server;
    private RemoteMemory owner;
    private RemoteMemory user;
    private RemotePeer peer;

    /** Opens a runtime on the provider to be tested. */
    abstract RdmaRuntime openRuntime();

    /** Settings of memory on the provider to be tested. */
    abstract RemoteMemoryConfig config();

    /** How many leases are many. */
    abstract int manyLeases();

    /** Packets may be lost on the way. */
    boolean losesPackets() {
        return false;
    }

    @BeforeEach
    void open() {
        owning = openRuntime();
        using = openRuntime();
        server = Memories.listen(owning);
        owner = RemoteMemory.open(owning, config());
        user = RemoteMemory.open(using, config());
        peer = user.peer("owner", server.address());
    }

    /** Whatever a test did: nothing stays lent. */
    @AfterEach
    void close() {
        user.close();
        await("the end of the links", () -> owner.statistics().lending().links() == 0);
        RemoteMemoryStatistics.Lending left = owner.statistics().lending();
        owner.close();
        using.close();
        owning.close();
        assertThat(left.regions()).as("regions").isZero();
        assertThat(left.bytes()).as("bytes").isZero();
        assertThat(left.stuck()).as("stuck").isZero();
    }

    private RemoteMemory reopenOwner(Limits limits) {
        owner.close();
        owning.close();
        owning = openRuntime();
        server = Memories.listen(owning);
        owner = RemoteMemory.open(owning, config().withLimits(limits));
        peer = user.peer("owner", server.address());
        return owner;
    }

    private static byte[] pattern(int length, int seed) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 31 + seed);
        }
        return bytes;
    }

    /** Goes past all checks of this side, as a peer would that obeys none. */
    private static CompletableFuture<Void> rawRead(RemoteRegion region, long offset, LocalSlice into) {
        RdmaConnection connection = get(region.lease().link().way().connect());
        return connection.read(into, region.lease().place(offset, into.length()));
    }

    private static CompletableFuture<Void> rawWrite(RemoteRegion region, long offset, LocalSlice from) {
        RdmaConnection connection = get(region.lease().link().way().connect());
        return connection.write(from, region.lease().place(offset, from.length()));
    }

    private static CompletableFuture<Long> rawAdd(RemoteRegion region, long offset) {
        RdmaConnection connection = get(region.lease().link().way().connect());
        return connection.fetchAndAdd(region.lease().place(offset, Long.BYTES), 1);
    }

    /** A peer's queue pair that has refused says nothing more: whose NAK was lost learns that nobody answers. */
    private void assertRefusedByTheNic(CompletableFuture<?> operation) {
        List<Integer> refusals = losesPackets()
                ? List.of(CompletionStatus.REM_ACCESS_ERR, CompletionStatus.RETRY_EXC_ERR)
                : List.of(CompletionStatus.REM_ACCESS_ERR);
        assertThatExceptionOfType(RdmaOperationException.class)
                .isThrownBy(() -> get(operation))
                .satisfies(failure -> assertThat(failure.status()).isIn(refusals));
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
    @DisplayName("OS-01 futures: many operations of one region at a time")
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
        }
    }

    @Test
    @DisplayName("OS-01 operations before there is a connection start in the order they were asked for")
    void whenThereIsNoConnectionYetThenOperationsKeepTheirOrder() {
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
    @DisplayName("OS-03 compare-and-swap and get-and-add tell what they found")
    void shouldCompareSwapAndAdd() {
        try (RemoteRegion region = peer.allocate(64, LONG)) {
            assertThat(region.compareAndSwap(8, 0, 41)).isZero();
            assertThat(region.compareAndSwap(8, 0, 99)).isEqualTo(41);
            assertThat(region.getAndAdd(8, 1)).isEqualTo(41);
            assertThat(region.getAndAdd(8, 0)).isEqualTo(42);
        }
    }

    @Test
    @DisplayName("LT-09 the matrix of rights: refused here without the right, and by the NIC when nobody asks here")
    void whenARightIsMissingThenBothSidesRefuse() {
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
                }
            }
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
            assertRefusedByTheNic(raw.get());
        }
    }

    @Test
    @DisplayName("a snapshot tells what is lent, granted and held, those that end first at the beginning")
    void whenASnapshotIsTakenThenItTellsWhatIsLent() {
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

    @Test
    @DisplayName("after a disconnect what was lent is lost, and a peer may come again")
    void whenDisconnectedThenWhatWasLentIsLost() {
        RemoteRegion region = peer.allocate(KB, LONG);
        owner.disconnect();
        await("the loss", () -> !region.isUsable());
        await("what was lent", () -> owner.statistics().lending().regions() == 0);
        try (RemoteRegion again = peer.allocate(KB, LONG)) {
            assertThat(again.read(0, 8)).containsOnly(0);
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
    @DisplayName("whoever waits for something in the end of something else holds up nobody")
    void whenAUserWaitsInAFutureThenItEnds() {
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

    @Test
    @DisplayName("LT-10 one byte beyond the region: refused here, and by the NIC; the region itself works on")
    void whenOutOfBoundsThenBothSidesRefuse() {
        try (RemoteRegion region = peer.allocate(1_000, LONG);
                LocalRegion local = user.allocateLocal(KB)) {
            assertThat(reasonOf(region.readAsync(1, local.slice(0, 1_000)))).isEqualTo(Reason.BOUNDS);
            assertThat(reasonOf(region.writeAsync(-1, local.slice(0, 8)))).isEqualTo(Reason.BOUNDS);
            assertThat(reasonOf(region.slice(0, 8).getAndAddAsync(1, 1))).isEqualTo(Reason.BOUNDS);
            assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> region.slice(1, 1_000));
            assertRefusedByTheNic(rawRead(region, 1, local.slice(0, 1_000)));
            assertRefusedByTheNic(rawWrite(region, -1, local.slice(0, 8)));
            region.write(992, pattern(8, 5));
            assertThat(region.read(992, 8)).isEqualTo(pattern(8, 5));
            assertThat(user.statistics().use().refused()).isEqualTo(3);
        }
    }

    @Test
    @DisplayName("memory of another RemoteMemory is no place for an operation: its keys could open anything here")
    void whenASliceIsOfAnotherMemoryThenItIsRefused() {
        try (RemoteRegion region = peer.allocate(64, LONG);
                LocalRegion local = user.allocateLocal(64);
                LocalRegion foreign = owner.allocateLocal(64)) {
            region.write(0, local.slice().put(pattern(64, 3)));
            assertThatExceptionOfType(OperationRefusedException.class)
                    .isThrownBy(() -> get(region.readAsync(0, foreign.slice())))
                    .withMessageContaining("another node");
            assertThatExceptionOfType(OperationRefusedException.class)
                    .isThrownBy(() -> get(region.writeAsync(0, foreign.slice())));
            assertThat(region.read(0, 64)).isEqualTo(pattern(64, 3));
        }
    }

    @Test
    @DisplayName(
            "LT-07 a lease ends: the holder is refused here and by the NIC, and only then the memory is given out again")
    void whenALeaseEndsThenTheNicRefusesAndMemoryIsFree() {
        reopenOwner(new Limits(8 * KB, 8 * KB, 10, 10, RemoteRight.ALL, LONG, Duration.ofMillis(20)));
        RemoteRegion first = peer.allocate(8 * KB, SHORT);
        try (LocalRegion local = user.allocateLocal(64)) {
            get(rawRead(first, 0, local.slice()));
            assertThat(reasonOf(peer.allocateAsync(8 * KB, RemoteRight.ALL, LONG)))
                    .isEqualTo(Reason.QUOTA);
            assertThat(owner.statistics().refusals().quota()).isOne();
            await("the end of the lease", () -> owner.statistics().lending().expired() == 1);
            assertThat(owner.statistics().lending().bytes()).isZero();
            assertRefusedByTheNic(rawRead(first, 0, local.slice()));
            assertThat(reasonOf(first.readAsync(0, local.slice()))).isEqualTo(Reason.EXPIRED);
            assertThat(first.isUsable()).isFalse();
            try (RemoteRegion second = peer.allocate(8 * KB, LONG)) {
                second.write(0, pattern(64, 1));
                assertRefusedByTheNic(rawWrite(first, 0, local.slice()));
                assertThat(second.read(0, 64)).isEqualTo(pattern(64, 1));
            }
        }
    }

    @Test
    @DisplayName(
            "LT-07 megabytes, which peers on this host can map: the NIC refuses after the lease and after the grant")
    void whenALargeRegionEndsThenTheNicRefuses() {
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
                assertRefusedByTheNic(rawRead(ended, 0, local.slice()));
                assertRefusedByTheNic(rawWrite(ended, 0, local.slice()));
            }
            assertThat(memory.slice().toBytes()).isEqualTo(pattern(bytes, 3));
        }
    }

    @Test
    @DisplayName("a lease that is renewed goes on, within the owner's limit")
    void whenRenewedThenALeaseGoesOn() {
        reopenOwner(new Limits(KB, KB, 10, 10, RemoteRight.ALL, Duration.ofMinutes(1), Duration.ZERO));
        try (RemoteRegion region = peer.allocate(64, Duration.ofSeconds(20))) {
            assertThat(region.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(20));
            region.renew(LONG);
            assertThat(region.remaining()).isBetween(Duration.ofSeconds(30), Duration.ofMinutes(1));
        }
    }

    @Test
    @DisplayName("rights and leases that the owner does not give are refused or cut")
    void whenMoreIsAskedThanGivenThenItIsRefused() {
        reopenOwner(new Limits(KB, KB, 1, 10, Set.of(RemoteRight.READ), Duration.ofSeconds(30), Duration.ZERO));
        assertThat(reasonOf(peer.allocateAsync(64, RemoteRight.ALL, LONG))).isEqualTo(Reason.RIGHTS);
        assertThat(reasonOf(peer.allocateAsync(-1, Set.of(RemoteRight.READ), LONG)))
                .isEqualTo(Reason.BOUNDS);
        try (RemoteRegion region = peer.allocate(64, Set.of(RemoteRight.READ), LONG)) {
            assertThat(region.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(30));
            assertThat(reasonOf(peer.allocateAsync(64, Set.of(RemoteRight.READ), LONG)))
                    .isEqualTo(Reason.QUOTA);
        }
        assertThat(owner.statistics().refusals().rights()).isOne();
        assertThat(owner.statistics().refusals().quota()).isOne();
        assertThat(owner.statistics().refusals().other()).isOne();
    }

    @Test
    @DisplayName("slices end with their region")
    void whenARegionIsFreedThenItsSlicesAreToo() {
        RemoteRegion region = peer.allocate(KB, LONG);
        RemoteRegion slice = region.slice(100, 100);
        slice.write(0, new byte[100]);
        region.free();
        region.free();
        assertThat(slice.isUsable()).isFalse();
        assertThatExceptionOfType(RemoteMemoryException.class)
                .isThrownBy(() -> slice.read(0, 1))
                .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.CLOSED));
        assertThat(owner.statistics().lending().freed()).isOne();
    }

    @Test
    @DisplayName("LT-04 cancelled operations: the region is given back when the device is done with them")
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
    @DisplayName("a thread that is interrupted while it allocates, opens or grants leaves nothing behind")
    void whenTheThreadIsInterruptedThenWhatItAskedForGoesBack() {
        peer.connect();
        try (LocalRegion memory = owner.allocateLocal(KB)) {
            RegionGrant grant = owner.grant(memory.slice(), Set.of(RemoteRight.READ), LONG);
            interrupted(() -> peer.allocate(KB, LONG));
            interrupted(() -> peer.open(grant.token()));
            await("both regions", () -> owner.statistics().lending().freed() == 2);
            interrupted(() -> owner.grant(memory.slice(), Set.of(RemoteRight.READ), LONG));
            await("the grant", () -> owner.statistics().lending().grants() == 0);
        }
    }

    /** The answer may win: then it is given back in the ordinary way. */
    private static void interrupted(Supplier<? extends AutoCloseable> task) {
        Thread.currentThread().interrupt();
        try (AutoCloseable got = task.get()) {
            assertThat(got).isNotNull();
        } catch (Exception e) {
            assertThat(e).isInstanceOf(RemoteMemoryException.class).hasMessageContaining("interrupted");
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    @DisplayName("a grant is opened by its token, once, with its very range and rights")
    void whenATokenIsOpenedThenTheGrantIsUsable() {
        try (LocalRegion memory = owner.allocateLocal(KB);
                LocalRegion local = user.allocateLocal(KB)) {
            memory.slice(100, 50).put(pattern(50, 9));
            RegionGrant grant = owner.grant(memory.slice(100, 50), Set.of(RemoteRight.READ), LONG);
            RegionToken token = RegionToken.decode(grant.token().encode());
            try (RemoteRegion region = peer.open(token)) {
                assertThat(region.length()).isEqualTo(50);
                assertThat(region.read(0, 50)).isEqualTo(pattern(50, 9));
                assertRefusedByTheNic(rawRead(region, -1, local.slice(0, 1)));
                assertRefusedByTheNic(rawRead(region, 50, local.slice(0, 1)));
                assertRefusedByTheNic(rawWrite(region, 0, local.slice(0, 1)));
                assertThat(reasonOf(peer.openAsync(token))).isEqualTo(Reason.USED_TOKEN);
            }
            assertThat(grant.ended()).isCompleted();
            assertThat(owner.statistics().refusals().usedToken()).isOne();
        }
    }

    @Test
    @DisplayName("wrong tokens, and those of other peers, are refused and counted")
    void whenATokenIsWrongThenItIsRefusedAndCounted() {
        try (LocalRegion memory = owner.allocateLocal(KB)) {
            RegionToken invented = new RegionToken(owner.id(), Secret.fresh(), 64, Set.of(RemoteRight.READ));
            assertThat(reasonOf(peer.openAsync(invented))).isEqualTo(Reason.UNKNOWN_TOKEN);

            RegionGrant forAnother = owner.grant(memory.slice(), Set.of(RemoteRight.READ), LONG, UUID.randomUUID());
            assertThat(reasonOf(peer.openAsync(forAnother.token()))).isEqualTo(Reason.FOREIGN_PEER);
            forAnother.close();

            RegionGrant forUser = owner.grant(memory.slice(), Set.of(RemoteRight.READ), LONG, user.id());
            peer.open(forUser.token()).free();

            RegionGrant closed = owner.grant(memory.slice(), Set.of(RemoteRight.READ), LONG);
            closed.close();
            assertThat(reasonOf(peer.openAsync(closed.token()))).isEqualTo(Reason.EXPIRED);

            RemoteMemoryStatistics.Refusals refusals = owner.statistics().refusals();
            assertThat(refusals.unknownToken()).isOne();
            assertThat(refusals.foreignPeer()).isOne();
            assertThat(refusals.other()).isOne();
            assertThat(owner.statistics().lending().opened()).isOne();
        }
    }

    @Test
    @DisplayName("a key that leaked to another peer opens nothing there")
    void whenAnotherPeerHasTheKeyThenItsNicRefuses() {
        try (RemotePeer second = user.peer("owner again", server.address());
                RemoteRegion region = peer.allocate(64, LONG);
                RemoteRegion other = second.allocate(64, LONG);
                LocalRegion local = user.allocateLocal(64)) {
            RdmaConnection foreign = get(other.lease().link().way().connect());
            assertRefusedByTheNic(foreign.read(local.slice(), region.lease().place(0, 64)));
            other.write(0, pattern(64, 2));
            region.write(0, pattern(64, 4));
            assertThat(other.read(0, 64)).isEqualTo(pattern(64, 2));
        }
    }

    @Test
    @DisplayName("a grant is closed: the NIC refuses from then on, and the memory is the owner's alone")
    void whenAGrantIsClosedThenTheNicRefuses() {
        try (LocalRegion memory = owner.allocateLocal(KB);
                LocalRegion local = user.allocateLocal(KB)) {
            RegionGrant grant = owner.grant(memory.slice(), RemoteRight.ALL, LONG);
            RemoteRegion region = peer.open(grant.token());
            region.write(0, pattern(8, 1));
            grant.close();
            assertRefusedByTheNic(rawWrite(region, 0, local.slice(0, 8)));
            await("the word of the owner", () -> !region.isUsable());
            assertThat(memory.slice(0, 8).toBytes()).isEqualTo(pattern(8, 1));
            assertThat(owner.statistics().lending().revoked()).isOne();
        }
    }

    @Test
    @DisplayName("the lease of a grant is its owner's: the holder that renews learns how long it goes on")
    void whenTheOwnerRenewsAGrantThenTheHolderLearnsIt() {
        try (LocalRegion memory = owner.allocateLocal(KB)) {
            RegionGrant grant = owner.grant(memory.slice(), Set.of(RemoteRight.READ), Duration.ofSeconds(30));
            try (RemoteRegion region = peer.open(grant.token())) {
                assertThat(region.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(30));
                region.renew(LONG);
                assertThat(region.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(30));
                grant.renew(LONG);
                region.renew(Duration.ofSeconds(1));
                assertThat(region.remaining()).isGreaterThan(Duration.ofMinutes(5));
            }
        }
    }

    @Test
    @DisplayName("a grant that nobody opens ends with its lease")
    void whenNobodyOpensAGrantThenItEndsWithItsLease() {
        try (LocalRegion memory = owner.allocateLocal(KB)) {
            RegionGrant grant = owner.grant(memory.slice(), Set.of(RemoteRight.READ), SHORT);
            get(grant.ended());
            assertThat(reasonOf(peer.openAsync(grant.token()))).isEqualTo(Reason.EXPIRED);
            assertThat(owner.statistics().lending().grants()).isZero();
            assertThat(owner.statistics().lending().expired()).isOne();
        }
    }

    @Test
    @DisplayName("a grant that ends before its lease is over is forgotten, but for what its token was")
    void whenAGrantEndsThenOnlyItsSecretIsRemembered() {
        try (LocalRegion memory = owner.allocateLocal(KB)) {
            RegionGrant used = owner.grant(memory.slice(), Set.of(RemoteRight.READ), LONG);
            RegionGrant closed = owner.grant(memory.slice(), Set.of(RemoteRight.READ), LONG);
            assertThat(owner.statistics().lending().grants()).isEqualTo(2);
            peer.open(used.token()).free();
            closed.close();
            assertThat(owner.statistics().lending().grants()).isZero();
            assertThat(reasonOf(peer.openAsync(used.token()))).isEqualTo(Reason.USED_TOKEN);
            assertThat(reasonOf(peer.openAsync(closed.token()))).isEqualTo(Reason.EXPIRED);
        }
    }

    @Test
    @DisplayName("memory that is granted stays registered until the grant has ended, whoever closes it before")
    void whenMemoryIsClosedWhileGrantedThenItIsReleasedAfterTheGrant() {
        LocalRegion memory = owner.allocateLocal(KB);
        RegionGrant grant = owner.grant(memory.slice(), Set.of(RemoteRight.READ), LONG);
        try (RemoteRegion region = peer.open(grant.token())) {
            memory.close();
            assertThat(region.read(0, KB)).containsOnly(0);
            assertThat(memory.released()).isNotDone();
            grant.close();
        }
        get(memory.released());
    }

    @Test
    @DisplayName("a host opens only so many links; one that is closed makes room, and none is left of those refused")
    void whenAPeerOpensTooManyLinksThenTheOwnerRefuses() {
        reopenOwner(new Limits(KB, KB, 10, 2, RemoteRight.ALL, LONG, Duration.ZERO));
        peer.connect();
        RemotePeer second = user.peer("second", server.address());
        try (RemotePeer third = user.peer("third", server.address())) {
            second.connect();
            assertThatExceptionOfType(RemoteMemoryException.class)
                    .isThrownBy(third::connect)
                    .withMessageContaining("max-links-per-peer is 2");
            await("the refused one's end", () -> user.statistics().lending().links() == 2);
            assertThat(owner.statistics().lending().links()).isEqualTo(2);
            assertThat(owner.statistics().refusals().quota()).isOne();
            second.close();
            await("room", () -> owner.statistics().lending().links() == 1);
            assertThat(third.connect()).isEqualTo(owner.id());
        }
    }

    @Test
    @DisplayName("the side that has connected lends, too: the other one opens its token over the same link")
    void whenTheConnectingSideLendsThenTheOtherOneReads() {
        UUID ownersId = peer.connect();
        assertThat(ownersId).isEqualTo(owner.id());
        try (LocalRegion memory = user.allocateLocal(256 * KB)) {
            memory.slice().put(pattern(256 * KB, 6));
            RegionGrant grant = user.grant(memory.slice(), Set.of(RemoteRight.READ), LONG, ownersId);
            try (RemoteRegion arguments = owner.open(grant.token())) {
                assertThat(arguments.read(0, 256 * KB)).isEqualTo(pattern(256 * KB, 6));
            }
            assertThat(reasonOf(user.openAsync(new RegionToken(UUID.randomUUID(), Secret.fresh(), 1, Set.of()))))
                    .isEqualTo(Reason.LOST);
        }
    }

    @Test
    @DisplayName("the holder's memory is closed: so are its sessions to peers, though its runtime goes on")
    void whenMemoryIsClosedThenItsPeersAreClosed() {
        peer.allocate(KB, LONG);
        assertThat(owning.statistics().serverSessions()).isOne();
        user.close();
        await("the end of the session", () -> owning.statistics().serverSessions() == 0);
        await("what the holder had", () -> owner.statistics().lending().regions() == 0);
        assertThatExceptionOfType(RemoteMemoryException.class)
                .isThrownBy(() -> user.peer("owner", server.address()))
                .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.CLOSED));
        assertThat(reasonOf(peer.allocateAsync(KB, RemoteRight.ALL, LONG))).isEqualTo(Reason.CLOSED);
    }

    @Test
    @DisplayName("the holder goes: its regions come back")
    void whenTheHolderGoesThenItsRegionsComeBack() {
        for (int i = 0; i < 20; i++) {
            peer.allocate(KB, LONG).write(0, new byte[8]);
        }
        assertThat(owner.statistics().lending().bytes()).isEqualTo(20 * KB);
        using.close();
        await("what the holder had", () -> owner.statistics().lending().reclaimed() == 20);
        assertThat(owner.statistics().lending().regions()).isZero();
        assertThat(owner.statistics().lending().bytes()).isZero();
    }

    @Test
    @DisplayName("the owner goes: operations fail, regions are lost, and allocating again works when it is back")
    void whenTheOwnerGoesThenRegionsAreLost() {
        RemoteRegion region = peer.allocate(KB, LONG);
        region.write(0, new byte[8]);
        reopenOwner(Limits.DEFAULTS);
        await("the loss", () -> !region.isUsable());
        assertThatExceptionOfType(RemoteMemoryException.class)
                .isThrownBy(() -> region.read(0, 8))
                .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.LOST));
        region.close();
        try (RemoteRegion again = peer.allocate(KB, LONG)) {
            assertThat(again.read(0, 8)).containsOnly(0);
        }
    }

    @Test
    @DisplayName("atomics of 8 holders of one word sum up exactly")
    void whenEightHoldersAddThenTheSumIsExact() {
        int holders = 8;
        int adds = 100;
        try (LocalRegion memory = owner.allocateLocal(64)) {
            List<RemotePeer> peers = new ArrayList<>();
            List<CompletableFuture<Long>> all = new ArrayList<>();
            for (int i = 0; i < holders; i++) {
                RemotePeer holder = user.peer("holder " + i, server.address());
                peers.add(holder);
                RegionGrant grant = owner.grant(memory.slice(8, 8), EnumSet.of(RemoteRight.ATOMIC), LONG);
                RemoteRegion word = holder.open(grant.token());
                for (int j = 0; j < adds; j++) {
                    all.add(word.getAndAddAsync(0, 3));
                }
            }
            all.forEach(Memories::get);
            assertThat(memory.slice(8, 8).readable().get(ValueLayout.JAVA_LONG, 0))
                    .isEqualTo(3L * holders * adds);
            assertThat(all.stream().map(CompletableFuture::join).distinct()).hasSize(holders * adds);
            peers.forEach(RemotePeer::close);
        }
    }

    @Test
    @DisplayName("many leases: each works, and all come back")
    void whenLeasesAreManyThenAllComeBack() {
        int count = manyLeases();
        List<CompletableFuture<RemoteRegion>> asked = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            asked.add(peer.allocateAsync(64, RemoteRight.USUAL, LONG));
        }
        List<RemoteRegion> regions = asked.stream().map(Memories::get).toList();
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
    @DisplayName("a batch gathers slices into a region and scatters them again, and ends as one")
    void whenABatchIsRunThenAllOfItIsDone() {
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
    @DisplayName("a file is granted for reading wherever it lies, for writing only in memory")
    void whenAFileIsMappedThenPeersReadIt(@TempDir Path directory) throws IOException {
        Path file = Files.write(directory.resolve("data"), pattern(70 * KB, 4));
        try (LocalRegion memory = owner.mapFile(file, false);
                LocalRegion local = user.allocateLocal(64)) {
            RegionGrant grant = owner.grant(memory.slice(), Set.of(RemoteRight.READ), LONG);
            try (RemoteRegion region = peer.open(grant.token())) {
                assertThat(region.read(0, 70 * KB)).isEqualTo(pattern(70 * KB, 4));
                assertRefusedByTheNic(rawWrite(region, 0, local.slice()));
            }
            assertThatExceptionOfType(RemoteMemoryException.class)
                    .isThrownBy(() -> owner.grant(memory.slice(), RemoteRight.ALL, LONG))
                    .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.RIGHTS));
        }
        boolean inMemory =
                Set.of("tmpfs", "ramfs").contains(Files.getFileStore(file).type());
        if (!inMemory) {
            assertThatExceptionOfType(RemoteMemoryException.class)
                    .isThrownBy(() -> owner.mapFile(file, true))
                    .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.FILE));
        }
        assertThatExceptionOfType(RemoteMemoryException.class)
                .isThrownBy(() -> owner.mapFile(directory.resolve("nothing"), false))
                .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.FILE));
        assertThat(Files.readAllBytes(file)).isEqualTo(pattern(70 * KB, 4));
    }

    @Test
    @DisplayName("a file in memory is granted for writing, and has what was written")
    void whenAFileIsInMemoryThenPeersWriteIt() throws IOException {
        Path memoryFiles = Path.of("/dev/shm");
        assumeThat(memoryFiles).isWritable();
        Path file = Files.createTempFile(memoryFiles, "remote-memory", ".test");
        try {
            Files.write(file, new byte[KB]);
            try (LocalRegion memory = owner.mapFile(file, true)) {
                RegionGrant grant = owner.grant(memory.slice(), RemoteRight.ALL, LONG);
                try (RemoteRegion region = peer.open(grant.token())) {
                    region.write(8, pattern(100, 5));
                }
                grant.close();
            }
            assertThat(Arrays.copyOfRange(Files.readAllBytes(file), 8, 108)).isEqualTo(pattern(100, 5));
        } finally {
            Files.delete(file);
        }
    }

    @Test
    @DisplayName(
            "OS-02 writes with a notice: the listener of the grant is told of each, in order, when the bytes are there")
    void whenAPeerWritesWithNoticesThenTheListenerIsTold() {
        int count = 2_000;
        List<WriteNotice> notices = new CopyOnWriteArrayList<>();
        List<Long> values = new CopyOnWriteArrayList<>();
        try (LocalRegion memory = owner.allocateLocal(count * 8L);
                LocalRegion local = user.allocateLocal(count * 8L)) {
            RegionGrant grant = owner.grant(memory.slice(), Set.of(RemoteRight.WRITE, RemoteRight.NOTIFY), LONG)
                    .onWrite(notice -> {
                        values.add(notice.memory().getAtIndex(ValueLayout.JAVA_LONG, notice.tag()));
                        notices.add(notice);
                    });
            RemoteRegion region = peer.open(grant.token());
            for (int i = 0; i < count; i++) {
                local.slice(i * 8L, 8).writable().set(ValueLayout.JAVA_LONG, 0, i * 3L + 1);
            }
            List<CompletableFuture<Void>> writes = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                writes.add(region.writeWithNotifyAsync(i * 8L, local.slice(i * 8L, 8), i));
                if (i % 500 == 499) {
                    writes.forEach(Memories::get);
                }
            }
            await("all notices", () -> notices.size() == count);
            for (int i = 0; i < count; i++) {
                assertThat(notices.get(i).tag()).isEqualTo(i);
                assertThat(notices.get(i).bytes()).isEqualTo(8);
                assertThat(notices.get(i).peer()).isEqualTo(user.id());
                assertThat(values.get(i)).isEqualTo(i * 3L + 1);
            }
            assertThat(owner.statistics().lending().notices()).isEqualTo(count);
            region.close();
        }
    }

    @Test
    @DisplayName("OS-02 memory that a peer has allocated has notices too, with nothing but a tag if it likes")
    void whenAPeerAllocatesWithNoticesThenTheCommonListenerIsTold() {
        List<WriteNotice> notices = new CopyOnWriteArrayList<>();
        owner.onWrite(notices::add);
        try (RemoteRegion region = peer.allocate(64, RemoteRight.ALL, LONG);
                LocalRegion local = user.allocateLocal(64)) {
            region.writeWithNotify(8, local.slice(0, 0), 65_535);
            await("the notice", () -> !notices.isEmpty());
            assertThat(notices.getFirst().tag()).isEqualTo(65_535);
            assertThat(notices.getFirst().bytes()).isZero();
            assertThat(notices.getFirst().grant()).isEmpty();
            assertThat(notices.getFirst().memory().byteSize()).isEqualTo(64);
        }
    }

    /** Keeps what comes through a ring; stands still while it is told to. */
    private static final class Records implements RingHandler {

        private final List<byte[]> records = new CopyOnWriteArrayList<>();
        private final CompletableFuture<String> end = new CompletableFuture<>();
        private volatile boolean standsStill;

        @Override
        public void onRecord(MemorySegment record) {
            while (standsStill) {
                Thread.onSpinWait();
            }
            records.add(record.toArray(ValueLayout.JAVA_BYTE));
        }

        @Override
        public void onEnd(RemoteMemoryException failure) {
            end.complete(failure == null ? "closed" : failure.getMessage());
        }
    }

    @Test
    @DisplayName("FC-07 a ring: records of all lengths arrive whole and in order, many times around")
    void whenRecordsGoThroughARingThenTheyArriveInOrder() throws InterruptedException {
        Records consumer = new Records();
        int count = 3_000;
        peer.connect();
        try (RingReceiver receiver = owner.ring(10_000, consumer, LONG);
                RemoteRing ring =
                        user.openRing(RegionToken.decode(receiver.token().encode()))) {
            for (int i = 0; i < count; i++) {
                byte[] record = pattern(i * 13 % ((int) ring.maxRecordBytes() + 1), i);
                assertThat(ring.send(MemorySegment.ofArray(record), Duration.ofSeconds(60)))
                        .isTrue();
            }
            await("all records", () -> consumer.records.size() == count);
            for (int i = 0; i < count; i++) {
                assertThat(consumer.records.get(i)).isEqualTo(pattern(i * 13 % ((int) ring.maxRecordBytes() + 1), i));
            }
        }
        assertThat(get(consumer.end)).isEqualTo("closed");
    }

    @Test
    @DisplayName("FC-01 a consumer that stands still: the producer has no credit, and nothing is lost")
    void whenTheConsumerStandsStillThenTheProducerHasNoRoom() throws InterruptedException {
        Records consumer = new Records();
        consumer.standsStill = true;
        peer.connect();
        try (RingReceiver receiver = owner.ring(8 * KB, consumer, LONG);
                RemoteRing ring = user.openRing(receiver.token())) {
            int sent = 0;
            while (ring.offer(MemorySegment.ofArray(pattern(100, sent)))) {
                sent++;
            }
            assertThat(sent).isEqualTo(8 * KB / 104);
            assertThat(ring.send(MemorySegment.ofArray(pattern(100, sent)), Duration.ofMillis(20)))
                    .isFalse();
            consumer.standsStill = false;
            assertThat(ring.send(MemorySegment.ofArray(pattern(100, sent)), Duration.ofSeconds(60)))
                    .isTrue();
            int all = sent + 1;
            await("all records", () -> consumer.records.size() == all);
            assertThat(consumer.records.get(sent)).isEqualTo(pattern(100, sent));
        }
    }

    @Test
    @DisplayName(
            "FC-07 a producer that closes its ring at once: the consumer still gets every record, however slow it is")
    void whenTheProducerClosesThenTheConsumerGetsTheRest() {
        Records consumer = new Records();
        consumer.standsStill = true;
        peer.connect();
        try (RingReceiver receiver = owner.ring(8 * KB, consumer, LONG)) {
            RemoteRing ring = user.openRing(receiver.token());
            int count = 40;
            for (int i = 0; i < count; i++) {
                assertThat(ring.offer(MemorySegment.ofArray(pattern(50, i)))).isTrue();
            }
            CompletableFuture<Void> closing = CompletableFuture.runAsync(ring::close);
            await("the ring, given back", () -> owner.statistics().lending().regions() == 0);
            assertThat(closing).isNotDone();
            consumer.standsStill = false;
            get(closing);
            assertThat(consumer.records).hasSize(count);
            assertThat(consumer.records.getLast()).isEqualTo(pattern(50, count - 1));
        }
    }

    @Test
    @DisplayName("a ring that is closed while a record is consumed keeps its memory until the handler is done with it")
    void whenARingIsClosedUnderItsHandlerThenTheMemoryStays() {
        CompletableFuture<Void> entered = new CompletableFuture<>();
        CompletableFuture<Void> goOn = new CompletableFuture<>();
        CompletableFuture<byte[]> seen = new CompletableFuture<>();
        peer.connect();
        RingReceiver receiver = owner.ring(
                KB,
                new RingHandler() {
                    @Override
                    public void onRecord(MemorySegment record) {
                        entered.complete(null);
                        get(goOn);
                        seen.completeAsync(() -> record.toArray(ValueLayout.JAVA_BYTE), Runnable::run);
                    }

                    @Override
                    public void onEnd(RemoteMemoryException failure) {}
                },
                LONG);
        RemoteRing ring = user.openRing(receiver.token());
        assertThat(ring.offer(MemorySegment.ofArray(pattern(100, 1)))).isTrue();
        get(entered);
        CompletableFuture<Void> closing = CompletableFuture.runAsync(receiver::close);
        await("the word of the consumer", () -> !ring.isOpen());
        assertThat(closing).isNotDone();
        goOn.complete(null);
        assertThat(get(seen)).isEqualTo(pattern(100, 1));
        get(closing);
        ring.close();
    }

    @Test
    @DisplayName("a handler may close its own ring")
    void whenAHandlerClosesItsRingThenItEnds() {
        CompletableFuture<RingReceiver> made = new CompletableFuture<>();
        CompletableFuture<String> end = new CompletableFuture<>();
        peer.connect();
        made.complete(owner.ring(
                KB,
                new RingHandler() {
                    @Override
                    public void onRecord(MemorySegment record) {
                        get(made).close();
                    }

                    @Override
                    public void onEnd(RemoteMemoryException failure) {
                        end.complete(failure == null ? "closed" : failure.getMessage());
                    }
                },
                LONG));
        RemoteRing ring = user.openRing(get(made).token());
        ring.offer(MemorySegment.ofArray(pattern(100, 1)));
        assertThat(get(end)).isEqualTo("closed");
        await("the word of the consumer", () -> !ring.isOpen());
        ring.close();
    }

    @Test
    @DisplayName("a token of something else makes no ring, and its region goes back")
    void whenATokenIsNotOfARingThenItIsRefused() {
        peer.connect();
        try (LocalRegion memory = owner.allocateLocal(KB)) {
            RegionGrant small = owner.grant(memory.slice(0, 63), RemoteRight.ALL, LONG);
            RegionGrant silent = owner.grant(memory.slice(), Set.of(RemoteRight.WRITE), LONG);
            assertNoRing(small.token(), Reason.BOUNDS);
            assertNoRing(silent.token(), Reason.RIGHTS);
            get(small.ended());
            get(silent.ended());
        }
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> owner.ring(63, new Records(), LONG))
                .withMessageContaining("64 bytes to 256 MiB");
    }

    private void assertNoRing(RegionToken token, Reason reason) {
        assertThatExceptionOfType(RemoteMemoryException.class)
                .isThrownBy(() -> user.openRing(token))
                .satisfies(failure -> assertThat(failure.reason()).isEqualTo(reason));
    }

    @Test
    @DisplayName("a ring that its consumer closes takes no more; one that gets a wrong record ends in words")
    void whenARingEndsThenBothSidesKnow() {
        Records first = new Records();
        Records second = new Records();
        peer.connect();
        RingReceiver closed = owner.ring(KB, first, LONG);
        try (LocalRegion local = user.allocateLocal(64);
                RingReceiver wronged = owner.ring(KB, second, LONG)) {
            RemoteRing ring = user.openRing(closed.token());
            assertThatExceptionOfType(RemoteMemoryException.class)
                    .isThrownBy(() -> ring.offer(MemorySegment.ofArray(new byte[300])))
                    .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.BOUNDS));
            closed.close();
            assertThat(get(first.end)).isEqualTo("closed");
            await("the word of the consumer", () -> !ring.isOpen());
            assertThatExceptionOfType(RdmaException.class)
                    .isThrownBy(() -> ring.offer(MemorySegment.ofArray(new byte[8])));
            ring.close();

            RemoteRegion raw = user.open(wronged.token());
            raw.writeWithNotify(0, local.slice(0, 8), 5);
            assertThat(get(second.end)).contains("record 5 of 8 bytes instead of record 0");
            await("the end of the grant", () -> !raw.isUsable());
        }
    }
}
