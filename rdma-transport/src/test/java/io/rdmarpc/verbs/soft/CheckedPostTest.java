package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaWorkRequestException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Queue pairs with checks, which are the default. The other tests post without checks to test the RNIC itself. */
class CheckedPostTest {

    private static final int GRH = 40;

    private final TestNode node = TestNode.inMemory(new MemoryNetwork(), 5001, LinkFaults.NONE, new FakeClock());
    private final MemoryRegion memory = node.register(8192, AccessFlag.LOCAL_WRITE);

    @AfterEach
    void close() {
        node.close();
    }

    private QueuePair create(QueuePairType type) {
        return node.domain.createQueuePair(
                new QueuePairConfig(type, node.cq, node.cq, new QueuePairCapabilities(4, 4, 2, 3, 0), false));
    }

    private QueuePair datagrams() {
        QueuePair qp = create(QueuePairType.UD);
        node.toSend(qp);
        return qp;
    }

    private void assertRejected(QueuePair qp, int length, String words) {
        assertThatExceptionOfType(RdmaWorkRequestException.class)
                .isThrownBy(() -> node.send(qp, 1, memory, length, node.handleTo(node), qp.number(), TestNode.QKEY))
                .withMessageContaining(words)
                .satisfies(e -> assertThat(e.index()).isZero());
        assertThat(node.next()).isNull();
    }

    @Test
    void whenDatagramExceedsThePathMtuThenReportsIt() {
        assertRejected(datagrams(), 4097, "has 4097 bytes: a datagram carries up to the path MTU of 4096 bytes");
    }

    @Test
    void whenNotReadyOrClosedThenReportsIt() {
        QueuePair qp = create(QueuePairType.UD);
        assertRejected(qp, 8, "in state RESET");
        assertThatExceptionOfType(RdmaWorkRequestException.class)
                .isThrownBy(() -> node.receive(qp, 1, memory, 0, 64))
                .withMessageContaining("in state RESET");
        node.toSend(qp);
        qp.close();
        assertRejected(qp, 8, "The queue pair is closed");
        assertThatExceptionOfType(RdmaWorkRequestException.class)
                .isThrownBy(() -> node.receive(qp, 1, memory, 0, 64))
                .withMessageContaining("closed");
    }

    @Test
    void whenTooManyEntriesThenNamesTheRequestAndPostsNothing() {
        QueuePair qp = datagrams();
        for (int i = 0; i < 3; i++) {
            node.sends.set(i, i, SendOpcode.SEND, SendFlags.SIGNALED, i == 1 ? 3 : 0);
            node.sends.setDatagram(i, node.handleTo(node).handle(), 5, 1);
        }
        node.sends.chain(0, 3);
        assertThatExceptionOfType(RdmaWorkRequestException.class)
                .isThrownBy(() -> qp.postSend(node.sends, 0))
                .withMessageContaining("Work request 1 (SEND) has 3 scatter/gather entries: 0 to 2 are possible");
        assertThat(node.sends.badIndex()).isEqualTo(1);
        assertThat(node.next()).isNull();
    }

    @Test
    void whenOperationIsNotSupportedThenReportsIt() {
        QueuePair qp = create(QueuePairType.RC);
        node.connect(qp, node, 77, 1, 1);
        node.sends.set(0, 1, SendOpcode.SEND_WITH_INV, 0, 0);
        node.sends.chain(0, 1);
        assertThatExceptionOfType(RdmaWorkRequestException.class)
                .isThrownBy(() -> qp.postSend(node.sends, 0))
                .withMessage("Work request 0 (SEND_WITH_INV) is an operation that this device does not support");
    }

    @Test
    void whenQueueIsFullThenPostReturnsAnErrorNumber() {
        QueuePair qp = datagrams();
        for (int i = 0; i < 4; i++) {
            assertThat(node.receive(qp, i, memory, 0, 64)).isZero();
        }
        assertThat(node.receive(qp, 4, memory, 0, 64)).isEqualTo(Errno.ENOMEM);
    }

    @Test
    void whenInErrorThenPostsAreFlushedAsWithoutChecks() {
        QueuePair qp = datagrams();
        qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
        assertThat(node.send(qp, 1, memory, 8, node.handleTo(node), 5, 1)).isZero();
        assertThat(node.next().status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
    }

    @Test
    void shouldFillTheEntriesOfAReceiveInTheirOrder() {
        QueuePair qp = datagrams();
        for (int i = 0; i < 100; i++) {
            memory.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (i * 7));
        }
        ReceiveRequests receive = ReceiveRequests.allocate(node.arena, 1, 3);
        receive.set(0, 9, 3);
        receive.setSge(0, 0, memory.address() + 1000, GRH - 4, memory.lkey());
        receive.setSge(0, 1, memory.address() + 2000, 4 + 30, memory.lkey());
        receive.setSge(0, 2, memory.address() + 3000, 500, memory.lkey());
        assertThat(qp.postReceive(receive, 0)).isZero();
        assertThat(node.send(qp, 1, memory, 100, node.handleTo(node), qp.number(), TestNode.QKEY))
                .isZero();

        assertThat(node.next().wrId()).isEqualTo(1);
        TestNode.Completion received = node.next();
        assertThat(received.wrId()).isEqualTo(9);
        assertThat(received.byteLength()).isEqualTo(GRH + 100);
        MemorySegment segment = memory.segment();
        assertThat(MemorySegment.mismatch(segment, 0, 30, segment, 2004, 2034)).isEqualTo(-1);
        assertThat(MemorySegment.mismatch(segment, 30, 100, segment, 3000, 3070))
                .isEqualTo(-1);
        // The last four bytes of the route header are the receiver's address, 127.0.0.1.
        assertThat(segment.asSlice(2000, 4).toArray(ValueLayout.JAVA_BYTE)).containsExactly(127, 0, 0, 1);
    }

    @Test
    void whenOneEntryOfAReceiveIsForbiddenThenNothingIsWritten() {
        QueuePair qp = datagrams();
        MemoryRegion readOnly = node.register(64);
        ReceiveRequests receive = ReceiveRequests.allocate(node.arena, 1, 2);
        receive.set(0, 9, 2);
        receive.setSge(0, 0, memory.address() + 1000, GRH, memory.lkey());
        receive.setSge(0, 1, readOnly.address(), 64, readOnly.lkey());
        assertThat(qp.postReceive(receive, 0)).isZero();
        node.send(qp, 1, memory, 8, node.handleTo(node), qp.number(), TestNode.QKEY);

        assertThat(node.next().wrId()).isEqualTo(1);
        assertThat(node.next().status()).isEqualTo(CompletionStatus.LOC_PROT_ERR);
        assertThat(memory.segment().asSlice(1000, GRH).toArray(ValueLayout.JAVA_BYTE))
                .containsOnly(0);
    }
}
