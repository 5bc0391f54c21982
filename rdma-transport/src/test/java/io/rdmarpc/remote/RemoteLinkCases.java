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

/** Peers that come, go and come again, on every provider and network. */
abstract class RemoteLinkCases extends RemoteMemoryFixture {

    RemoteLinkCases(MemoryProvider provider) {
        super(provider);
    }

    @Test
    @DisplayName("a host opens only so many links; one that is closed makes room, and none is left of those refused")
    void whenAPeerOpensTooManyLinksThenTheOwnerRefuses() {
        reopenOwner(new LendingLimits(KB, KB, 10, 2, RemoteRight.ALL, LONG, Duration.ZERO));
        peer.connect();
        RemotePeer second = user.peer("second", server.address());
        try (RemotePeer third = user.peer("third", server.address())) {
            second.connect();
            assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                    .isThrownBy(third::connect)
                    .withMessageContaining("max-links-per-peer is 2");
            await("the refused one's end", () -> user.statistics().lending().links() == 2);
            assertThat(owner.statistics().lending().links()).isEqualTo(2);
            assertThat(owner.statistics().rejections().quota()).isOne();
            second.close();
            await("room", () -> owner.statistics().lending().links() == 1);
            assertThat(third.connect()).isEqualTo(owner.id());
        }
    }

    @Test
    @DisplayName("after a disconnect what was lent is lost, and a peer may come again")
    void whenDisconnectedThenWhatWasLentIsLost() {
        RemoteRegion region = peer.allocate(KB, LONG);
        owner.disconnect();
        await("the loss", () -> !region.isUsable());
        await("what was lent", () -> owner.statistics().lending().regions() == 0);
        // A link that opens before the session has ended everywhere ends with it, and says to allocate again.
        await("memory lent again", this::canAllocateAgain);
    }

    @Test
    @DisplayName("a connection ends while its first operations are started: one that comes then goes over another")
    void whenAConnectionEndsWhileOperationsAreStartedThenTheNextGoesOverAnother() {
        try (RemoteRegion region = peer.allocate(KB, LONG);
                LocalRegion local = user.allocateLocal(64)) {
            OperationPath path = region.lease().link().path();
            CompletableFuture<Void> later = new CompletableFuture<>();
            CompletableFuture<Boolean> first = path.run(connection -> {
                connection.close();
                var _ = path.run(another ->
                                another.read(local.slice(), region.lease().place(0, 64)))
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
    @DisplayName("the holder's memory is closed: so are its sessions to peers, though its runtime goes on")
    void whenMemoryIsClosedThenItsPeersAreClosed() {
        peer.allocate(KB, LONG);
        assertThat(owning.statistics().serverSessions()).isOne();
        user.close();
        await("the end of the session", () -> owning.statistics().serverSessions() == 0);
        await("what the holder had", () -> owner.statistics().lending().regions() == 0);
        assertThatExceptionOfType(RdmaRemoteMemoryException.class)
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
        reopenOwner(LendingLimits.DEFAULTS);
        await("the loss", () -> !region.isUsable());
        assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                .isThrownBy(() -> region.read(0, 8))
                .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.LOST));
        region.close();
        try (RemoteRegion again = peer.allocate(KB, LONG)) {
            assertThat(again.read(0, 8)).containsOnly(0);
        }
    }
}
