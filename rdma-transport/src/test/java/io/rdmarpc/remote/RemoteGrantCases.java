package io.rdmarpc.remote;

import static io.rdmarpc.remote.Memories.await;
import static io.rdmarpc.remote.Memories.get;
import static io.rdmarpc.remote.Memories.reasonOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RegionGrant;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.wire.TokenCodec;
import io.rdmarpc.remote.wire.TokenSecret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Local memory for peers: grants, tokens and files, on every provider and network. */
abstract class RemoteGrantCases extends RemoteMemoryFixture {

    RemoteGrantCases(MemoryProvider provider) {
        super(provider);
    }

    @Test
    @DisplayName("a token opens a grant once, with exactly its range and rights")
    void whenATokenIsOpenedThenTheGrantIsUsable() {
        try (LocalRegion memory = owner.allocateLocal(KB);
                LocalRegion local = user.allocateLocal(KB)) {
            memory.slice(100, 50).put(pattern(50, 9));
            RegionGrant grant = owner.grant(memory.slice(100, 50), Set.of(RemoteRight.READ), LONG);
            RegionToken token = RegionToken.decode(grant.token().encode());
            try (RemoteRegion region = peer.open(token)) {
                assertThat(region.length()).isEqualTo(50);
                assertThat(region.read(0, 50)).isEqualTo(pattern(50, 9));
                assertRejectedByTheNic(rawRead(region, -1, local.slice(0, 1)));
                assertRejectedByTheNic(rawRead(region, 50, local.slice(0, 1)));
                assertRejectedByTheNic(rawWrite(region, 0, local.slice(0, 1)));
                assertThat(reasonOf(peer.openAsync(token))).isEqualTo(Reason.USED_TOKEN);
            }
            assertThat(grant.ended()).isCompleted();
            assertThat(owner.statistics().rejections().usedToken()).isOne();
        }
    }

    @Test
    @DisplayName("invalid tokens, and those of other peers, are rejected and counted")
    void whenATokenIsInvalidThenItIsRejectedAndCounted() {
        try (LocalRegion memory = owner.allocateLocal(KB)) {
            RegionToken invented = TokenCodec.token(owner.id(), TokenSecret.fresh(), 64, Set.of(RemoteRight.READ));
            assertThat(reasonOf(peer.openAsync(invented))).isEqualTo(Reason.UNKNOWN_TOKEN);

            RegionGrant forAnother = owner.grant(memory.slice(), Set.of(RemoteRight.READ), LONG, UUID.randomUUID());
            assertThat(reasonOf(peer.openAsync(forAnother.token()))).isEqualTo(Reason.FOREIGN_PEER);
            forAnother.close();

            RegionGrant forUser = owner.grant(memory.slice(), Set.of(RemoteRight.READ), LONG, user.id());
            peer.open(forUser.token()).free();

            RegionGrant closed = owner.grant(memory.slice(), Set.of(RemoteRight.READ), LONG);
            closed.close();
            assertThat(reasonOf(peer.openAsync(closed.token()))).isEqualTo(Reason.EXPIRED);

            RemoteMemoryStatistics.Rejections rejections = owner.statistics().rejections();
            assertThat(rejections.unknownToken()).isOne();
            assertThat(rejections.foreignPeer()).isOne();
            assertThat(rejections.other()).isOne();
            assertThat(owner.statistics().lending().opened()).isOne();
        }
    }

    @Test
    @DisplayName("after a grant was closed, the NIC rejects operations and the peer has no access")
    void whenAGrantIsClosedThenTheNicRejectsOperations() {
        try (LocalRegion memory = owner.allocateLocal(KB);
                LocalRegion local = user.allocateLocal(KB)) {
            RegionGrant grant = owner.grant(memory.slice(), RemoteRight.ALL, LONG);
            RemoteRegion region = peer.open(grant.token());
            region.write(0, pattern(8, 1));
            grant.close();
            assertRejectedByTheNic(rawWrite(region, 0, local.slice(0, 8)));
            await("revocation by the owner", () -> !region.isUsable());
            assertThat(memory.slice(0, 8).toBytes()).isEqualTo(pattern(8, 1));
            assertThat(owner.statistics().lending().revoked()).isOne();
        }
    }

    @Test
    @DisplayName("the owner decides the lease of a grant; the holder learns it when it renews")
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
    @DisplayName("an unopened grant ends with its lease")
    void whenAGrantIsNotOpenedThenItEndsWithItsLease() {
        try (LocalRegion memory = owner.allocateLocal(KB)) {
            RegionGrant grant = owner.grant(memory.slice(), Set.of(RemoteRight.READ), SHORT);
            get(grant.ended());
            assertThat(reasonOf(peer.openAsync(grant.token()))).isEqualTo(Reason.EXPIRED);
            assertThat(owner.statistics().lending().grants()).isZero();
            assertThat(owner.statistics().lending().expired()).isOne();
        }
    }

    @Test
    @DisplayName("after a grant has ended before its lease, only its secret is kept")
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
    @DisplayName("granted memory stays registered until the grant has ended, even if its region is closed before")
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
    @DisplayName("the connecting side can lend: the other side opens its token over the same link")
    void whenTheConnectingSideLendsThenTheOtherSideReads() {
        UUID ownersId = peer.connect();
        assertThat(ownersId).isEqualTo(owner.id());
        try (LocalRegion memory = user.allocateLocal(256 * KB)) {
            memory.slice().put(pattern(256 * KB, 6));
            RegionGrant grant = user.grant(memory.slice(), Set.of(RemoteRight.READ), LONG, ownersId);
            try (RemoteRegion arguments = owner.open(grant.token())) {
                assertThat(arguments.read(0, 256 * KB)).isEqualTo(pattern(256 * KB, 6));
            }
            assertThat(reasonOf(user.openAsync(TokenCodec.token(UUID.randomUUID(), TokenSecret.fresh(), 1, Set.of()))))
                    .isEqualTo(Reason.LOST);
        }
    }

    @Test
    @DisplayName("an interrupted allocation, opening or grant is released")
    void whenTheThreadIsInterruptedThenItsRequestIsReleased() {
        peer.connect();
        try (LocalRegion memory = owner.allocateLocal(KB)) {
            RegionGrant grant = owner.grant(memory.slice(), Set.of(RemoteRight.READ), LONG);
            interrupted(() -> peer.allocate(KB, LONG));
            interrupted(() -> peer.open(grant.token()));
            await("release of both regions", () -> owner.statistics().lending().freed() == 2);
            interrupted(() -> owner.grant(memory.slice(), Set.of(RemoteRight.READ), LONG));
            await("end of the grant", () -> owner.statistics().lending().grants() == 0);
        }
    }

    /** Interrupts a task. If the response arrives first, the result is freed normally. */
    private static void interrupted(Supplier<? extends AutoCloseable> task) {
        Thread.currentThread().interrupt();
        try (AutoCloseable got = task.get()) {
            assertThat(got).isNotNull();
        } catch (Exception e) {
            assertThat(e).isInstanceOf(RdmaRemoteMemoryException.class).hasMessageContaining("interrupted");
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    @DisplayName("a file on any file system can be granted for reading, one in memory also for writing")
    void whenAFileIsMappedThenPeersReadIt(@TempDir Path directory) throws IOException {
        Path file = Files.write(directory.resolve("data"), pattern(70 * KB, 4));
        try (LocalRegion memory = owner.mapFile(file, false);
                LocalRegion local = user.allocateLocal(64)) {
            RegionGrant grant = owner.grant(memory.slice(), Set.of(RemoteRight.READ), LONG);
            try (RemoteRegion region = peer.open(grant.token())) {
                assertThat(region.read(0, 70 * KB)).isEqualTo(pattern(70 * KB, 4));
                assertRejectedByTheNic(rawWrite(region, 0, local.slice()));
            }
            assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                    .isThrownBy(() -> owner.grant(memory.slice(), RemoteRight.ALL, LONG))
                    .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.RIGHTS));
        }
        boolean inMemory =
                Set.of("tmpfs", "ramfs").contains(Files.getFileStore(file).type());
        if (!inMemory) {
            assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                    .isThrownBy(() -> owner.mapFile(file, true))
                    .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.FILE));
        }
        assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                .isThrownBy(() -> owner.mapFile(directory.resolve("nothing"), false))
                .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.FILE));
        assertThat(Files.readAllBytes(file)).isEqualTo(pattern(70 * KB, 4));
    }

    @Test
    @DisplayName("a file in memory can be granted for writing, and contains the written bytes")
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
}
