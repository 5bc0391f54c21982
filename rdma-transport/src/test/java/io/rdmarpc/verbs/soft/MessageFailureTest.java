package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.TestNode.Remote;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.soft.wire.Aeth;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** SENDs, WRITEs and atomics that must fail, with the right status at both ends, without access to forbidden memory. */
@Timeout(60)
class MessageFailureTest {

    private static final int LENGTH = 20_000;

    private final Pair pair = Pair.with(LinkFaults.NONE, LENGTH).connect();
    private final MemorySegment before = pair.b.arena.allocate(LENGTH).copyFrom(pair.ofB.segment());

    @AfterEach
    void close() {
        assertThat(pair.a.context.rnic().sendWindow().usedBytes()).isZero();
        assertThat(pair.a.context.rnic().readWindow().usedBytes()).isZero();
        pair.close();
    }

    private void write(int length, Remote to) {
        assertThat(pair.a.message(pair.qpOfA, 1, SendOpcode.RDMA_WRITE, pair.ofA, 0, length, to))
                .isZero();
    }

    private void send(long wrId, int length) {
        assertThat(pair.a.message(pair.qpOfA, wrId, SendOpcode.SEND, pair.ofA, 0, length, Remote.NONE))
                .isZero();
    }

    private void assertRejected(int status, int syndrome) {
        TestNode.Completion completion = pair.awaitA();
        assertThat(Pair.status(completion)).isEqualTo(CompletionStatus.describe(status));
        assertThat(completion.vendorError()).isEqualTo(syndrome);
        assertThat(pair.qpOfA.queryState()).isEqualTo(QueuePairState.ERR);
        assertThat(pair.qpOfB.queryState()).isEqualTo(QueuePairState.ERR);
    }

    private void assertUntouched() {
        assertThat(pair.ofB.segment().mismatch(before)).isEqualTo(-1);
    }

    @Test
    void whenWriteHasAWrongKeyThenRemoteAccessErrorAndNothingIsWritten() {
        write(LENGTH, new Remote(pair.ofB.address(), pair.ofB.rkey() ^ 1));
        assertRejected(CompletionStatus.REM_ACCESS_ERR, Aeth.NAK_REMOTE_ACCESS);
        assertUntouched();
    }

    @Test
    void whenWriteExceedsTheRegionThenNotEvenItsFirstPacketIsWritten() {
        write(LENGTH, Remote.of(pair.ofB, 1));
        assertRejected(CompletionStatus.REM_ACCESS_ERR, Aeth.NAK_REMOTE_ACCESS);
        assertUntouched();
    }

    @Test
    void whenRegionMayOnlyBeReadThenRemoteAccessError() {
        MemoryRegion readable = pair.b.register(LENGTH, AccessFlag.REMOTE_READ);
        write(8, Remote.of(readable, 0));
        assertRejected(CompletionStatus.REM_ACCESS_ERR, Aeth.NAK_REMOTE_ACCESS);
    }

    @Test
    void whenConnectionDoesNotAllowWritesThenInvalidRequest() {
        pair.qpOfB.modify(new QueuePairAttributes().accessFlags(AccessFlag.REMOTE_READ.bit()));
        write(8, Remote.of(pair.ofB, 0));
        assertRejected(CompletionStatus.REM_INV_REQ_ERR, Aeth.NAK_INVALID_REQUEST);
        assertUntouched();
    }

    @Test
    void whenRegionIsDeregisteredDuringAWriteThenRemoteAccessError() {
        Pair large = Pair.with(LinkFaults.NONE, 1 << 20).connect();
        large.a.message(large.qpOfA, 1, SendOpcode.RDMA_WRITE, large.ofA, 0, 1 << 20, Remote.of(large.ofB, 0));
        large.a.progress();
        large.b.progress();
        large.ofB.close();
        assertThat(large.awaitA().status()).isEqualTo(CompletionStatus.REM_ACCESS_ERR);
        large.close();
    }

    @Test
    void whenNothingIsWrittenThenTheKeyDoesNotMatter() {
        write(0, new Remote(1, 2));
        assertThat(Pair.status(pair.awaitA())).isEqualTo("SUCCESS (0)");
    }

    @Test
    void whenReceiveIsTooShortThenBothEndsFail() {
        pair.b.receive(pair.qpOfB, 7, pair.ofB, 0, 5000);
        pair.b.receive(pair.qpOfB, 8, pair.ofB, 0, LENGTH);
        send(1, 5001);
        assertRejected(CompletionStatus.REM_INV_REQ_ERR, Aeth.NAK_INVALID_REQUEST);
        TestNode.Completion failed = pair.awaitB();
        assertThat(failed.wrId()).isEqualTo(7);
        assertThat(failed.status()).isEqualTo(CompletionStatus.LOC_LEN_ERR);
        TestNode.Completion flushed = pair.awaitB();
        assertThat(flushed.wrId()).isEqualTo(8);
        assertThat(flushed.status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
        assertThat(MemorySegment.mismatch(pair.ofB.segment(), 5000, LENGTH, before, 5000, LENGTH))
                .isEqualTo(-1);
    }

    @Test
    void whenReceiveMayNotBeWrittenThenBothEndsFail() {
        MemoryRegion readOnly = pair.b.register(LENGTH);
        pair.b.receive(pair.qpOfB, 7, readOnly, 0, LENGTH);
        send(1, 10);
        assertRejected(CompletionStatus.REM_OP_ERR, Aeth.NAK_REMOTE_OPERATIONAL);
        assertThat(pair.awaitB().status()).isEqualTo(CompletionStatus.LOC_PROT_ERR);
    }

    @Test
    void whenLocalMemoryIsForbiddenThenLocalProtectionErrorAfterEarlierOnes() {
        MemoryRegion gone = pair.a.register(LENGTH);
        pair.b.receive(pair.qpOfB, 7, pair.ofB, 0, LENGTH);
        send(1, 10);
        assertThat(pair.a.message(pair.qpOfA, 2, SendOpcode.SEND, gone, 0, LENGTH, Remote.NONE))
                .isZero();
        gone.close();
        assertThat(Pair.status(pair.awaitA())).isEqualTo("SUCCESS (0)");
        assertThat(pair.awaitA().status()).isEqualTo(CompletionStatus.LOC_PROT_ERR);
        assertThat(pair.qpOfA.queryState()).isEqualTo(QueuePairState.ERR);
    }

    @Test
    void whenLocalMemoryIsFreedDuringAMessageThenLocalProtectionError() {
        Arena shortLived = Arena.ofShared();
        int length = 600_000;
        MemoryRegion gone =
                pair.a.domain.registerMemory(shortLived.allocate(length), EnumSet.of(AccessFlag.LOCAL_WRITE));
        MemoryRegion into = pair.b.register(length, AccessFlag.LOCAL_WRITE);
        pair.b.receive(pair.qpOfB, 7, into, 0, length);
        pair.a.message(pair.qpOfA, 1, SendOpcode.SEND, gone, 0, length, Remote.NONE);
        pair.a.progress();
        shortLived.close();
        assertThat(pair.awaitA().status()).isEqualTo(CompletionStatus.LOC_PROT_ERR);
        assertThat(pair.b.next()).as("the peer is not notified").isNull();
    }

    @Test
    void whenOneFailsThenLaterOnesAreFlushedInOrder() {
        pair.b.receive(pair.qpOfB, 7, pair.ofB, 0, LENGTH);
        send(1, LENGTH);
        assertThat(pair.a.message(pair.qpOfA, 2, SendOpcode.RDMA_WRITE, pair.ofA, 0, 8, new Remote(0, 0)))
                .isZero();
        send(3, 8);
        assertThat(Pair.status(pair.awaitA())).isEqualTo("SUCCESS (0)");
        assertThat(pair.awaitA().status()).isEqualTo(CompletionStatus.REM_ACCESS_ERR);
        TestNode.Completion flushed = pair.awaitA();
        assertThat(flushed.wrId()).isEqualTo(3);
        assertThat(flushed.status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
        send(4, 8);
        assertThat(pair.awaitA().status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
        assertThat(pair.awaitB().wrId()).isEqualTo(7);
    }

    @Test
    void whenPeerIsGoneThenRetriesAndFails() {
        pair.b.context.close();
        send(1, LENGTH);
        send(2, LENGTH);
        long start = pair.clock.getAsLong();
        assertThat(pair.awaitA().status()).isEqualTo(CompletionStatus.RETRY_EXC_ERR);
        long timeout = 100_000_000;
        assertThat(pair.clock.getAsLong() - start).isBetween(8 * timeout, 9 * timeout);
        assertThat(pair.a.counters().timeouts()).isEqualTo(8);
        assertThat(pair.awaitA().status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
    }

    @Test
    void whenPeerIsGoneThenItsShareOfTheWindowIsFreeAfterTheFirstTimeOut() {
        Pair other = Pair.with(LinkFaults.NONE, 1 << 20).connect();
        other.b.context.close();
        other.a.message(other.qpOfA, 1, SendOpcode.RDMA_WRITE, other.ofA, 0, 1 << 20, Remote.NONE);
        other.run(50_000);
        assertThat(other.a.context.rnic().sendWindow().usedBytes()).isEqualTo(256 << 10);
        long sent = other.a.counters().sent();
        other.run(60_000);
        assertThat(other.a.context.rnic().sendWindow().usedBytes()).isZero();
        other.run(50_000);
        assertThat(other.a.counters().sent() - sent)
                .as("one packet probes whether the peer is back")
                .isBetween(2L, 20L);
        other.close();
    }

    @Test
    void whenMovedToErrorThenSendsAndReceivesAreFlushed() {
        pair.b.receive(pair.qpOfB, 7, pair.ofB, 0, LENGTH);
        pair.b.receive(pair.qpOfB, 8, pair.ofB, 0, LENGTH);
        send(1, LENGTH);
        pair.a.progress();
        pair.b.progress();
        QueuePairAttributes toError = new QueuePairAttributes().state(QueuePairState.ERR);
        pair.qpOfA.modify(toError);
        assertThat(pair.awaitA().status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
        send(2, LENGTH);
        assertThat(pair.awaitA().wrId()).isEqualTo(2);
        pair.qpOfB.modify(toError);
        for (int i = 7; i <= 8; i++) {
            assertThat(pair.awaitB().wrId()).isEqualTo(i);
        }
        pair.b.receive(pair.qpOfB, 9, pair.ofB, 0, LENGTH);
        assertThat(pair.awaitB().status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
    }

    @Test
    void whenResetThenConnectsAndSendsAgain() {
        pair.b.receive(pair.qpOfB, 7, pair.ofB, 0, LENGTH);
        send(1, LENGTH);
        pair.a.progress();
        pair.b.progress();
        QueuePairAttributes reset = new QueuePairAttributes().state(QueuePairState.RESET);
        pair.qpOfA.modify(reset);
        pair.qpOfB.modify(reset);
        while (pair.a.next() != null || pair.b.next() != null) {
            // Completions from before the reset.
        }
        pair.a.connect(pair.qpOfA, pair.b, pair.qpOfB.number(), 100_000, 200_000);
        pair.b.connect(pair.qpOfB, pair.a, pair.qpOfA.number(), 200_000, 100_000);
        pair.b.receive(pair.qpOfB, 8, pair.ofB, 0, LENGTH);
        send(2, LENGTH);
        assertThat(pair.awaitA().wrId()).isEqualTo(2);
        assertThat(pair.awaitB().wrId()).isEqualTo(8);
    }

    @Test
    void whenAtomicIsNotAlignedThenInvalidRequest() {
        pair.a.fetchAndAdd(pair.qpOfA, 1, pair.ofA, 0, Remote.of(pair.ofB, 4), 1);
        assertRejected(CompletionStatus.REM_INV_REQ_ERR, Aeth.NAK_INVALID_REQUEST);
        assertUntouched();
    }

    @Test
    void whenAtomicExceedsTheRegionThenRemoteAccessError() {
        MemoryRegion small = pair.b.register(12, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC);
        pair.a.fetchAndAdd(pair.qpOfA, 1, pair.ofA, 0, Remote.of(small, 8), 1);
        assertRejected(CompletionStatus.REM_ACCESS_ERR, Aeth.NAK_REMOTE_ACCESS);
    }

    @Test
    void whenRegionHasNoAtomicsThenRemoteAccessError() {
        MemoryRegion plain = pair.b.register(16, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
        pair.a.compareAndSwap(pair.qpOfA, 1, pair.ofA, 0, Remote.of(plain, 8), 0, 1);
        assertRejected(CompletionStatus.REM_ACCESS_ERR, Aeth.NAK_REMOTE_ACCESS);
    }

    @Test
    void whenConnectionHasNoAtomicsThenInvalidRequest() {
        pair.qpOfB.modify(new QueuePairAttributes().accessFlags(AccessFlag.REMOTE_WRITE.bit()));
        pair.a.fetchAndAdd(pair.qpOfA, 1, pair.ofA, 0, Remote.of(pair.ofB, 0), 1);
        assertRejected(CompletionStatus.REM_INV_REQ_ERR, Aeth.NAK_INVALID_REQUEST);
    }

    @Test
    void whenArenaOfAtomicIsClosedThenRemoteAccessError() {
        Arena shortLived = Arena.ofShared();
        MemoryRegion gone = pair.b.domain.registerMemory(
                shortLived.allocate(8, 8), EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC));
        Remote at = Remote.of(gone, 0);
        shortLived.close();
        pair.a.fetchAndAdd(pair.qpOfA, 1, pair.ofA, 0, at, 1);
        assertRejected(CompletionStatus.REM_ACCESS_ERR, Aeth.NAK_REMOTE_ACCESS);
    }

    @Test
    void whenOriginalValueMayNotBeStoredThenLocalProtectionErrorAndNothingIsSent() {
        MemoryRegion readOnly = pair.a.register(8);
        pair.a.fetchAndAdd(pair.qpOfA, 1, readOnly, 0, Remote.of(pair.ofB, 0), 1);
        assertThat(pair.awaitA().status()).isEqualTo(CompletionStatus.LOC_PROT_ERR);
        assertUntouched();
    }

    @Test
    void whenPathMtusDifferThenInvalidRequest() {
        QueuePair own = pair.a.create(QueuePairType.RC);
        QueuePair other = pair.b.create(QueuePairType.RC);
        pair.b.mtu = PathMtu.MTU_1024;
        TestNode.connect(pair.a, own, pair.b, other);
        pair.b.receive(other, 7, pair.ofB, 0, LENGTH);
        pair.a.message(own, 1, SendOpcode.SEND, pair.ofA, 0, LENGTH, Remote.NONE);
        assertThat(pair.awaitA().status()).isEqualTo(CompletionStatus.REM_INV_REQ_ERR);
    }
}
