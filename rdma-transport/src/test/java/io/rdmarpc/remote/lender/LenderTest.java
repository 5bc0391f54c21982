package io.rdmarpc.remote.lender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.memory.PageSource;
import io.rdmarpc.remote.lease.LendingLimits;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.support.RemoteMemoryCounters;
import io.rdmarpc.remote.support.RemoteMemoryCounters.Count;
import io.rdmarpc.remote.wire.LinkMessage;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaException;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Leases, with a clock that the test controls")
class LenderTest {

    private static final long MILLI = 1_000_000;
    private static final LendingLimits LIMITS =
            new LendingLimits(10_000, 10_000, 3, 3, RemoteRight.ALL, Duration.ofSeconds(1), Duration.ofMillis(10));

    /** Events of the device and the memory, in order. */
    private final List<String> events = new ArrayList<>();

    /** Starts just before the clock overflows. */
    private long now = Long.MAX_VALUE - 50 * MILLI;

    private final RemoteMemoryCounters counters = new RemoteMemoryCounters();
    private final Lender lender = new Lender(() -> now, LIMITS, PageSource.ORDINARY, counters);
    private final FakeHolder holder = new FakeHolder("one");

    /** A peer, and the device that registers memory for it. */
    private final class FakeHolder implements LeaseHolder {

        private final String account;
        private final List<LinkMessage> sent = new ArrayList<>();
        private final List<MemorySegment> memories = new ArrayList<>();
        private boolean stuck;
        private boolean busy;
        private boolean broken;

        FakeHolder(String account) {
            this.account = account;
        }

        @Override
        public String account() {
            return account;
        }

        @Override
        public UUID peer() {
            return new UUID(0, account.hashCode());
        }

        @Override
        public MemoryRegion register(MemorySegment memory, Set<RemoteRight> rights) {
            memories.add(memory);
            return new FakeRegion(this, memory, RemoteRight.access(rights));
        }

        @Override
        public int addNotifications(LentRegion region) {
            events.add("notifications started");
            return 7;
        }

        @Override
        public void afterNotifications(Runnable then) {
            events.add("notifications handled");
            then.run();
        }

        @Override
        public void removeNotifications(int slot) {
            events.add("notifications of slot " + slot + " stopped");
        }

        @Override
        public void send(LinkMessage message) {
            sent.add(message);
        }
    }

    private final class FakeRegion implements MemoryRegion {

        private final FakeHolder holder;
        private final MemorySegment memory;
        private final Set<AccessFlag> access;

        FakeRegion(FakeHolder holder, MemorySegment memory, Set<AccessFlag> access) {
            this.holder = holder;
            this.memory = memory;
            this.access = access;
        }

        @Override
        public MemorySegment segment() {
            return memory;
        }

        @Override
        public int lkey() {
            return 1;
        }

        @Override
        public int rkey() {
            return 2;
        }

        @Override
        public Set<AccessFlag> access() {
            return access;
        }

        @Override
        public void close() {
            if (holder.stuck) {
                throw new RdmaException("the device does not deregister it");
            }
            if (holder.busy) {
                throw new RdmaVerbsException("ibv_dereg_mr", "fake", Errno.EBUSY, "A peer was stopped during a write.");
            }
            if (holder.broken) {
                throw new IllegalStateException("unexpected failure");
            }
            events.add("key invalid, memory " + (memory.scope().isAlive() ? "allocated" : "freed"));
        }
    }

    private LinkMessage.Lent allocate(FakeHolder by, long bytes, long leaseMillis) {
        return lender.allocate(by, new LinkMessage.Allocate(bytes, RemoteRight.USUAL, leaseMillis * MILLI));
    }

    private void pass(long millis) {
        now += millis * MILLI;
        lender.expire();
    }

    @Test
    @DisplayName("LT-08 a lease ends exactly one grace period after the deadline, also if the clock overflows")
    void whenGraceHasPassedThenALeaseEnds() {
        LinkMessage.Lent lent = allocate(holder, 4_096, 100);
        pass(109);
        assertThat(lender.regions()).isOne();
        assertThat(lender.nanosToNextExpiry()).isEqualTo(MILLI);
        pass(1);
        assertThat(lender.regions()).isZero();
        assertThat(holder.sent).containsExactly(new LinkMessage.Revoked(lent.id(), Reason.EXPIRED));
        assertThat(counters.of(Count.EXPIRED)).isOne();
        assertThat(lender.nanosToNextExpiry()).isEqualTo(LeaseTable.NEVER);
    }

    @Test
    @DisplayName("LT-07 the key is invalidated before the memory is freed")
    void whenALeaseEndsThenTheKeyIsInvalidatedFirst() {
        allocate(holder, 4_096, 100);
        MemorySegment memory = holder.memories.getFirst();
        pass(200);
        assertThat(events).containsExactly("key invalid, memory allocated");
        assertThat(memory.scope().isAlive()).isFalse();
        assertThat(lender.lentBytes()).isZero();
    }

    @Test
    @DisplayName("regions with notifications have a slot while they are lent")
    void whenARegionIsLentWithNotificationsThenItHasASlot() {
        Set<RemoteRight> rights = Set.of(RemoteRight.WRITE, RemoteRight.NOTIFY);
        LinkMessage.Lent lent = lender.allocate(holder, new LinkMessage.Allocate(8, rights, 100 * MILLI));
        assertThat(lent.slot()).isEqualTo(7);
        pass(200);
        assertThat(events)
                .containsExactly(
                        "notifications started",
                        "key invalid, memory allocated",
                        "notifications handled",
                        "notifications of slot 7 stopped");
    }

    @Test
    @DisplayName("LT-07 memory whose key the device does not invalidate is never freed, and still counts")
    void whenTheDeviceDoesNotInvalidateAKeyThenItsMemoryStays() {
        holder.stuck = true;
        allocate(holder, 4_096, 100);
        MemorySegment memory = holder.memories.getFirst();
        pass(200);
        assertThat(memory.scope().isAlive()).isTrue();
        assertThat(lender.lentBytes()).isEqualTo(4_096);
        assertThat(counters.of(Count.STUCK)).isOne();
        assertThat(counters.of(Count.EXPIRED)).isZero();
    }

    @Test
    @DisplayName("memory stays allocated while the write of a stopped peer is pending, and is then freed and counted")
    void whenAPeerIsStoppedDuringAWriteThenItsMemoryStaysUntilTheWriteEnds() {
        holder.busy = true;
        Set<RemoteRight> rights = Set.of(RemoteRight.WRITE, RemoteRight.NOTIFY);
        lender.allocate(holder, new LinkMessage.Allocate(4_096, rights, 100 * MILLI));
        MemorySegment memory = holder.memories.getFirst();
        pass(200);
        assertThat(events)
                .containsExactly("notifications started", "notifications handled", "notifications of slot 7 stopped");
        assertThat(lender.nanosToNextExpiry()).isEqualTo(1_000 * MILLI);
        pass(1_000);
        assertThat(memory.scope().isAlive()).isTrue();
        assertThat(lender.lentBytes()).isEqualTo(4_096);
        assertThat(counters.of(Count.STUCK)).isZero();

        holder.busy = false;
        pass(1_000);
        assertThat(events).endsWith("notifications of slot 7 stopped", "key invalid, memory allocated");
        assertThat(memory.scope().isAlive()).isFalse();
        assertThat(lender.lentBytes()).isZero();
        assertThat(counters.of(Count.EXPIRED)).isOne();
        assertThat(lender.nanosToNextExpiry()).isEqualTo(LeaseTable.NEVER);
    }

    @Test
    @DisplayName("memory of a stopped peer whose key the device then fails to invalidate is stuck")
    void whenBusyMemoryFailsForAnotherReasonThenItIsStuck() {
        holder.busy = true;
        allocate(holder, 4_096, 100);
        pass(200);
        holder.busy = false;
        holder.stuck = true;
        pass(1_000);
        assertThat(counters.of(Count.STUCK)).isOne();
        assertThat(holder.memories.getFirst().scope().isAlive()).isTrue();
        assertThat(lender.nanosToNextExpiry()).isEqualTo(LeaseTable.NEVER);
    }

    @Test
    @DisplayName("a region that fails to end with an unexpected exception does not prevent the end of others")
    void whenOneRegionFailsToEndThenTheOthersEnd() {
        FakeHolder other = new FakeHolder("other");
        holder.broken = true;
        allocate(holder, 8, 100);
        LinkMessage.Lent lent = allocate(other, 8, 100);
        pass(200);
        assertThat(other.sent).containsExactly(new LinkMessage.Revoked(lent.id(), Reason.EXPIRED));
        assertThat(counters.of(Count.STUCK)).isOne();
        assertThat(counters.of(Count.EXPIRED)).isOne();
    }

    @Test
    @DisplayName("many leases end in the order of their deadlines")
    void whenLeasesAreManyThenEachEndsAtItsDeadline() {
        Lender roomy = new Lender(
                () -> now,
                new LendingLimits(1 << 20, 1 << 20, 1_000, 3, RemoteRight.ALL, Duration.ofSeconds(1), Duration.ZERO),
                PageSource.ORDINARY,
                counters);
        for (int i = 0; i < 100; i++) {
            roomy.allocate(holder, new LinkMessage.Allocate(8, RemoteRight.USUAL, (i * 37 % 100 + 1) * MILLI));
        }
        for (int left = 99; left >= 0; left--) {
            now += MILLI;
            roomy.expire();
            assertThat(roomy.regions()).isEqualTo(left);
        }
    }

    @Test
    @DisplayName("a renewed lease ends later, within the owner's limit")
    void whenALeaseIsRenewedThenItEndsLater() {
        LinkMessage.Lent lent = allocate(holder, 8, 100);
        pass(90);
        assertThat(lender.renew(holder, new LinkMessage.Renew(lent.id(), 5_000 * MILLI)))
                .isEqualTo(new LinkMessage.Renewed(1_000 * MILLI));
        pass(1_009);
        assertThat(lender.regions()).isOne();
        pass(1);
        assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                .isThrownBy(() -> lender.renew(holder, new LinkMessage.Renew(lent.id(), MILLI)))
                .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.EXPIRED));
    }

    @Test
    @DisplayName("another holder can neither renew nor free a region")
    void whenAnotherHolderNamesARegionThenItIsNotFound() {
        LinkMessage.Lent lent = allocate(holder, 8, 100);
        FakeHolder other = new FakeHolder("other");
        lender.free(other, new LinkMessage.Free(lent.id()), () -> events.add("responded"));
        assertThat(events).containsExactly("responded");
        assertThat(lender.regions()).isOne();
        assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                .isThrownBy(() -> lender.renew(other, new LinkMessage.Renew(lent.id(), MILLI)));
    }

    @Test
    @DisplayName("quotas limit the regions of a peer and the bytes of all peers; both are returned")
    void whenAQuotaIsExhaustedThenRequestsAreRejected() {
        FakeHolder other = new FakeHolder("other");
        allocate(holder, 3_000, 100);
        allocate(holder, 3_000, 100);
        allocate(holder, 3_000, 500);
        assertRejectedForQuota(holder, 8, "3 regions are lent to one");
        assertRejectedForQuota(other, 1_001, "9000 bytes are lent to all peers");
        allocate(other, 1_000, 100);
        pass(110);
        assertThat(lender.lentBytes()).isEqualTo(3_000);
        lender.reclaim(holder);
        assertThat(lender.lentBytes()).isZero();
        assertThat(counters.of(Count.RECLAIMED)).isOne();
    }

    @Test
    @DisplayName("a quota limits the bytes of each peer; freed bytes can be allocated again")
    void whenAPeersBytesAreExhaustedThenAnotherPeerHasItsOwn() {
        LendingLimits each =
                new LendingLimits(10_000, 4_000, 10, 3, RemoteRight.ALL, Duration.ofSeconds(1), Duration.ZERO);
        Lender sharing = new Lender(() -> now, each, PageSource.ORDINARY, counters);
        LinkMessage.Allocate half = new LinkMessage.Allocate(2_000, RemoteRight.USUAL, MILLI);
        FakeHolder other = new FakeHolder("other");
        LinkMessage.Lent first = sharing.allocate(holder, half);
        sharing.allocate(holder, half);
        assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                .isThrownBy(() -> sharing.allocate(holder, half))
                .withMessageContaining("4000 bytes are lent to one, the limit is max-size-per-peer 4000")
                .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.QUOTA));
        sharing.allocate(other, half);
        sharing.free(holder, new LinkMessage.Free(first.id()), () -> {});
        sharing.allocate(holder, half);
        assertThat(sharing.lentBytes()).isEqualTo(6_000);
    }

    private void assertRejectedForQuota(FakeHolder by, long bytes, String message) {
        assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                .isThrownBy(() -> allocate(by, bytes, 100))
                .withMessageContaining(message)
                .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.QUOTA));
    }

    @Test
    @DisplayName("only requested rights are registered, with LOCAL_WRITE if the verbs need it")
    void shouldRegisterExactlyTheRights() {
        assertThat(RemoteRight.access(Set.of(RemoteRight.READ))).containsExactly(AccessFlag.REMOTE_READ);
        assertThat(RemoteRight.access(Set.of(RemoteRight.WRITE)))
                .containsExactlyInAnyOrder(AccessFlag.REMOTE_WRITE, AccessFlag.LOCAL_WRITE);
        assertThat(RemoteRight.access(Set.of(RemoteRight.ATOMIC, RemoteRight.READ)))
                .containsExactlyInAnyOrder(AccessFlag.REMOTE_ATOMIC, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ);
    }
}
