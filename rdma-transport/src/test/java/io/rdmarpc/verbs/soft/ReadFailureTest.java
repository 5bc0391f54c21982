package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.soft.rnic.DropReason;
import io.rdmarpc.verbs.soft.wire.Aeth;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** RDMA READ that must fail, with the right status, without access to forbidden memory. */
@Timeout(60)
class ReadFailureTest {

    private static final int LENGTH = 100_000;

    private final MemoryNetwork network = new MemoryNetwork();
    private final FakeClock clock = new FakeClock();
    private final TestNode reader = TestNode.inMemory(network, 5001, LinkFaults.NONE, clock);
    private final TestNode target = TestNode.inMemory(network, 5002, LinkFaults.NONE, clock);
    private final QueuePair qp = reader.create(QueuePairType.RC);
    private final QueuePair peer = target.create(QueuePairType.RC);
    private final MemoryRegion into = reader.register(LENGTH, AccessFlag.LOCAL_WRITE);
    private final MemoryRegion from = target.register(LENGTH, AccessFlag.REMOTE_READ);

    ReadFailureTest() {
        reader.timeoutExponent = 16;
        TestNode.connect(reader, qp, target, peer);
        from.segment().fill((byte) 1);
    }

    @AfterEach
    void close() {
        assertThat(reader.context.rnic().readWindow().usedBytes()).isZero();
        reader.close();
        target.close();
    }

    private int read(long wrId, int length, long address, int rkey) {
        return reader.read(qp, wrId, into, 0, length, address, rkey);
    }

    private TestNode.Completion await() {
        for (int round = 0; round < 1_000_000; round++) {
            TestNode.Completion completion = reader.next();
            if (completion != null) {
                return completion;
            }
            target.progress();
            clock.advanceMicros(20);
        }
        throw new AssertionError("no completion: " + reader.counters() + ", " + target.counters());
    }

    private void assertRejected(int syndrome, int status) {
        TestNode.Completion completion = await();
        assertThat(CompletionStatus.describe(completion.status())).isEqualTo(CompletionStatus.describe(status));
        assertThat(completion.vendorError()).isEqualTo(syndrome);
        assertThat(qp.queryState()).isEqualTo(QueuePairState.ERR);
        assertThat(peer.queryState()).isEqualTo(QueuePairState.ERR);
    }

    private void assertNothingRead() {
        for (int i = 0; i < LENGTH; i++) {
            assertThat(into.segment().get(ValueLayout.JAVA_BYTE, i)).isZero();
        }
    }

    @Test
    void whenRkeyIsWrongThenRemoteAccessError() {
        read(1, LENGTH, from.address(), from.rkey() ^ 1);
        assertRejected(Aeth.NAK_REMOTE_ACCESS, CompletionStatus.REM_ACCESS_ERR);
        assertNothingRead();
    }

    @Test
    void whenLkeyIsUsedAsRkeyThenRemoteAccessError() {
        read(1, LENGTH, from.address(), from.lkey());
        assertRejected(Aeth.NAK_REMOTE_ACCESS, CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void whenRangeStartsBeforeRegionThenRemoteAccessError() {
        read(1, 16, from.address() - 1, from.rkey());
        assertRejected(Aeth.NAK_REMOTE_ACCESS, CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void whenRangeEndsAfterRegionThenRemoteAccessError() {
        read(1, 16, from.address() + LENGTH - 15, from.rkey());
        assertRejected(Aeth.NAK_REMOTE_ACCESS, CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void whenAddressOverflowsThenRemoteAccessError() {
        read(1, 16, -8, from.rkey());
        assertRejected(Aeth.NAK_REMOTE_ACCESS, CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void whenRegionHasNoRemoteReadThenRemoteAccessError() {
        MemoryRegion closed = target.register(100, AccessFlag.LOCAL_WRITE);
        read(1, 100, closed.address(), closed.rkey());
        assertRejected(Aeth.NAK_REMOTE_ACCESS, CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void whenRegionBelongsToAnotherDomainThenRemoteAccessError() {
        MemoryRegion foreign = target.context
                .allocateProtectionDomain()
                .registerMemory(target.arena.allocate(100), EnumSet.of(AccessFlag.REMOTE_READ));
        read(1, 100, foreign.address(), foreign.rkey());
        assertRejected(Aeth.NAK_REMOTE_ACCESS, CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void whenRegionWasDeregisteredThenRemoteAccessErrorThoughSlotIsUsedAgain() {
        int oldKey = from.rkey();
        from.close();
        MemoryRegion successor = target.domain.registerMemory(from.segment(), EnumSet.of(AccessFlag.REMOTE_READ));
        assertThat(successor.rkey()).isNotEqualTo(oldKey);
        read(1, LENGTH, from.address(), oldKey);
        assertRejected(Aeth.NAK_REMOTE_ACCESS, CompletionStatus.REM_ACCESS_ERR);
        assertNothingRead();
    }

    @Test
    void whenRegionIsDeregisteredDuringResponseThenRemoteAccessError() {
        read(1, LENGTH, from.address(), from.rkey());
        reader.progress();
        target.progress();
        from.close();
        assertRejected(Aeth.NAK_REMOTE_ACCESS, CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void whenTargetArenaIsClosedThenRemoteAccessError() {
        Arena shortLived = Arena.ofShared();
        MemoryRegion gone =
                target.domain.registerMemory(shortLived.allocate(LENGTH), EnumSet.of(AccessFlag.REMOTE_READ));
        shortLived.close();
        read(1, LENGTH, gone.address(), gone.rkey());
        assertRejected(Aeth.NAK_REMOTE_ACCESS, CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void whenConnectionHasNoRemoteReadThenInvalidRequest() {
        QueuePair own = reader.create(QueuePairType.RC);
        QueuePair strict = target.create(QueuePairType.RC);
        reader.connect(own, target, strict.number(), 1, 2);
        strict.modify(target.toInit(0));
        strict.modify(target.toRtr(reader, own.number(), 1));
        strict.modify(target.toRts(2));
        reader.read(own, 1, into, 0, 10, from.address(), from.rkey());
        assertThat(await().status()).isEqualTo(CompletionStatus.REM_INV_REQ_ERR);
        assertThat(strict.queryState()).isEqualTo(QueuePairState.ERR);
    }

    @Test
    void whenOneFailsThenLaterOnesAreFlushedInOrder() {
        read(1, LENGTH, from.address(), from.rkey());
        read(2, LENGTH, from.address(), from.rkey() ^ 1);
        read(3, LENGTH, from.address(), from.rkey());
        assertThat(await()).satisfies(c -> {
            assertThat(c.wrId()).isEqualTo(1);
            assertThat(c.status()).isZero();
        });
        assertThat(await()).satisfies(c -> {
            assertThat(c.wrId()).isEqualTo(2);
            assertThat(c.status()).isEqualTo(CompletionStatus.REM_ACCESS_ERR);
        });
        assertThat(await()).satisfies(c -> {
            assertThat(c.wrId()).isEqualTo(3);
            assertThat(c.status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
        });
        assertThat(read(4, 1, from.address(), from.rkey())).isZero();
        assertThat(await().status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
    }

    @Test
    void whenLocalMemoryIsNotWritableThenLocalProtectionErrorAndNothingIsSent() {
        MemoryRegion readOnly = reader.register(100);
        reader.read(qp, 1, readOnly, 0, 100, from.address(), from.rkey());
        assertThat(await().status()).isEqualTo(CompletionStatus.LOC_PROT_ERR);
        assertThat(reader.counters().sent()).isZero();
    }

    @Test
    void whenLocalMemoryIsDeregisteredThenLocalProtectionErrorAfterEarlierOnes() {
        MemoryRegion gone = reader.register(100, AccessFlag.LOCAL_WRITE);
        read(1, LENGTH, from.address(), from.rkey());
        reader.read(qp, 2, gone, 0, 100, from.address(), from.rkey());
        gone.close();
        assertThat(await().status()).isZero();
        assertThat(await().status()).isEqualTo(CompletionStatus.LOC_PROT_ERR);
    }

    @Test
    void whenLocalArenaIsClosedThenLocalProtectionError() {
        Arena shortLived = Arena.ofShared();
        MemoryRegion gone = reader.domain.registerMemory(shortLived.allocate(100), EnumSet.of(AccessFlag.LOCAL_WRITE));
        reader.read(qp, 1, gone, 0, 100, from.address(), from.rkey());
        shortLived.close();
        assertThat(await().status()).isEqualTo(CompletionStatus.LOC_PROT_ERR);
    }

    @Test
    void whenPeerIsGoneThenRetriesAndFails() {
        target.context.close();
        read(1, LENGTH, from.address(), from.rkey());
        read(2, LENGTH, from.address(), from.rkey());
        long start = clock.getAsLong();
        TestNode.Completion completion = await();
        assertThat(CompletionStatus.describe(completion.status()))
                .isEqualTo(CompletionStatus.describe(CompletionStatus.RETRY_EXC_ERR));
        long timeout = 4096L << reader.timeoutExponent;
        assertThat(clock.getAsLong() - start).isBetween(8 * timeout, 9 * timeout);
        assertThat(reader.counters().timeouts()).isEqualTo(8);
        assertThat(await().status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
    }

    @Test
    void whenPeerExpectsAnotherPsnThenFails() {
        QueuePair own = reader.create(QueuePairType.RC);
        QueuePair other = target.create(QueuePairType.RC);
        reader.connect(own, target, other.number(), 500, 2);
        target.connect(other, reader, own.number(), 2, 100);
        reader.read(own, 1, into, 0, 10, from.address(), from.rkey());
        assertThat(await().status()).isEqualTo(CompletionStatus.RETRY_EXC_ERR);
    }

    /** Every response packet has another length than requested; the READ must end nevertheless. */
    @Test
    void whenPathMtuDiffersThenFails() {
        QueuePair own = reader.create(QueuePairType.RC);
        QueuePair other = target.create(QueuePairType.RC);
        target.mtu = PathMtu.MTU_1024;
        TestNode.connect(reader, own, target, other);
        reader.read(own, 1, into, 0, LENGTH, from.address(), from.rkey());
        assertThat(await().status()).isEqualTo(CompletionStatus.RETRY_EXC_ERR);
        assertThat(reader.counters().dropped(DropReason.MALFORMED)).isPositive();
    }

    @Test
    void whenMovedToErrorThenOutstandingReadsAreFlushed() {
        read(1, LENGTH, from.address(), from.rkey());
        read(2, LENGTH, from.address(), from.rkey());
        reader.progress();
        qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
        assertThat(await().status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
        assertThat(await().wrId()).isEqualTo(2);
    }

    @Test
    void whenClosedThenNothingCompletesAndLateResponsesAreDropped() {
        read(1, LENGTH, from.address(), from.rkey());
        reader.progress();
        qp.close();
        target.progress();
        assertThat(reader.next()).isNull();
        assertThat(reader.counters().dropped(DropReason.UNKNOWN_QP)).isPositive();
        assertNothingRead();
    }

    @Test
    void whenResetThenConnectsAndReadsAgain() {
        read(1, LENGTH, from.address(), from.rkey());
        reader.progress();
        target.progress();
        qp.modify(new QueuePairAttributes().state(QueuePairState.RESET));
        peer.modify(new QueuePairAttributes().state(QueuePairState.RESET));
        assertThat(reader.next()).isNull();
        reader.connect(qp, target, peer.number(), 100_000, 200_000);
        target.connect(peer, reader, qp.number(), 200_000, 100_000);
        read(2, LENGTH, from.address(), from.rkey());
        assertThat(await()).satisfies(c -> {
            assertThat(c.wrId()).isEqualTo(2);
            assertThat(c.status()).isZero();
        });
    }
}
