package io.rdmarpc.remote;

import static io.rdmarpc.remote.Memories.await;
import static io.rdmarpc.remote.Memories.get;
import static io.rdmarpc.remote.Memories.reasonOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.remote.lease.LendingLimits;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.link.OperationPath;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Links that open, close and open again, on every provider and network. */
abstract class RemoteLinkCases extends RemoteMemoryFixture {

    RemoteLinkCases(MemoryProvider provider) {
        super(provider);
    }

    @Test
    @DisplayName("the number of links per host is limited; a closed link makes room, and rejected links are removed")
    void whenAPeerOpensTooManyLinksThenTheOwnerRejectsThem() {
        reopenOwner(new LendingLimits(KB, KB, 10, 2, RemoteRight.ALL, LONG, Duration.ZERO));
        peer.connect();
        RemotePeer second = user.peer("second", server.address());
        try (RemotePeer third = user.peer("third", server.address())) {
            second.connect();
            assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                    .isThrownBy(third::connect)
                    .withMessageContaining("max-links-per-peer is 2");
            await("end of the rejected link", () -> user.statistics().lending().links() == 2);
            assertThat(owner.statistics().lending().links()).isEqualTo(2);
            assertThat(owner.statistics().rejections().quota()).isOne();
            second.close();
            await("room for a link", () -> owner.statistics().lending().links() == 1);
            assertThat(third.connect()).isEqualTo(owner.id());
        }
    }

    @Test
    @DisplayName("after a disconnect all leases are lost, and peers may connect again")
    void whenDisconnectedThenLeasesAreLost() {
        RemoteRegion region = peer.allocate(KB, LONG);
        owner.disconnect();
        await("loss of the region", () -> !region.isUsable());
        await("end of the lease", () -> owner.statistics().lending().regions() == 0);
        // A link that opens while the old session ends can end with it; its failure then says to allocate again.
        await("allocation after the disconnect", this::canAllocateAgain);
    }

    @Test
    @DisplayName("if a connection ends while waiting operations start, the next operation uses a new connection")
    void whenAConnectionEndsWhileOperationsStartThenTheNextUsesANewConnection() {
        try (RemoteRegion region = peer.allocate(KB, LONG);
                LocalRegion local = user.allocateLocal(64)) {
            OperationPath path = region.lease().link().path();
            CompletableFuture<Void> later = new CompletableFuture<>();
            CompletableFuture<Boolean> first = path.run(connection -> {
                connection.close();
                var _ = path.run(another ->
                                another.read(local.slice(), region.lease().range(0, 64)))
                        .whenComplete((_, failure) -> {
                            if (failure == null) {
                                later.complete(null);
                            } else {
                                later.completeExceptionally(failure);
                            }
                        });
                return CompletableFuture.completedFuture(connection.isOpen());
            });
            assertThat(get(first)).isFalse();
            get(later);
        }
    }

    private boolean canAllocateAgain() {
        try (RemoteRegion again = peer.allocate(KB, LONG)) {
            assertThat(again.read(0, 8)).containsOnly(0);
            return true;
        } catch (RdmaRemoteMemoryException e) {
            assertThat(e.reason()).isNotEqualTo(Reason.CLOSED);
            return false;
        }
    }

    @Test
    @DisplayName("closing the holder's memory closes its sessions to peers, but not its runtime")
    void whenMemoryIsClosedThenItsSessionsAreClosed() {
        peer.allocate(KB, LONG);
        assertThat(owning.statistics().serverSessions()).isOne();
        user.close();
        await("the end of the session", () -> owning.statistics().serverSessions() == 0);
        await(
                "release of the holder's regions",
                () -> owner.statistics().lending().regions() == 0);
        assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                .isThrownBy(() -> user.peer("owner", server.address()))
                .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.CLOSED));
        assertThat(reasonOf(peer.allocateAsync(KB, RemoteRight.ALL, LONG))).isEqualTo(Reason.CLOSED);
    }

    @Test
    @DisplayName("if the holder disconnects, its regions are reclaimed")
    void whenTheHolderDisconnectsThenItsRegionsAreReclaimed() {
        for (int i = 0; i < 20; i++) {
            peer.allocate(KB, LONG).write(0, new byte[8]);
        }
        assertThat(owner.statistics().lending().bytes()).isEqualTo(20 * KB);
        using.close();
        await(
                "release of the holder's regions",
                () -> owner.statistics().lending().reclaimed() == 20);
        assertThat(owner.statistics().lending().regions()).isZero();
        assertThat(owner.statistics().lending().bytes()).isZero();
    }

    @Test
    @DisplayName("if the owner disconnects, operations fail and regions are lost; allocation works after it returns")
    void whenTheOwnerDisconnectsThenRegionsAreLost() {
        RemoteRegion region = peer.allocate(KB, LONG);
        region.write(0, new byte[8]);
        reopenOwner(LendingLimits.DEFAULTS);
        await("loss of the region", () -> !region.isUsable());
        assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                .isThrownBy(() -> region.read(0, 8))
                .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.LOST));
        region.close();
        try (RemoteRegion again = peer.allocate(KB, LONG)) {
            assertThat(again.read(0, 8)).containsOnly(0);
        }
    }
}
