package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.soft.qp.RouteHeader;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
@DisplayName("Inline data")
class InlineDataTest {

    private static final int MAX_BYTES = 256;
    private static final int INLINE = SendFlags.INLINE | SendFlags.SIGNALED;

    private final Pair pair = Pair.with(new LinkFaults(0.3, 0, 0, 0, 0, LinkFaults.DEFAULT_DELAY_NANOS, 5), 4096);
    private final MemorySegment unregistered = pair.a.arena.allocate(MAX_BYTES);

    @AfterEach
    void close() {
        pair.close();
    }

    private QueuePair sender(QueuePairType type) {
        QueuePairCapabilities sizes = new QueuePairCapabilities(8, 8, 2, 1, MAX_BYTES);
        QueuePair qp = pair.a.domain.createQueuePair(
                new QueuePairConfig(type, pair.a.cq, pair.a.cq, sizes, false).unchecked());
        assertThat(qp.capabilities().maxInlineBytes()).isEqualTo(MAX_BYTES);
        return qp;
    }

    private QueuePair connected() {
        QueuePair qp = sender(QueuePairType.RC);
        TestNode.connect(pair.a, qp, pair.b, pair.qpOfB);
        return qp;
    }

    private int write(QueuePair qp, int opcode, int flags, long address, int length, int lkey) {
        pair.a.sends.set(0, 1, opcode, flags, 1);
        pair.a.sends.setSge(0, 0, address, length, lkey);
        pair.a.sends.setRemote(0, pair.ofB.address(), pair.ofB.rkey());
        pair.a.sends.chain(0, 1);
        return qp.postSend(pair.a.sends, 0);
    }

    @Test
    @DisplayName("is the content of the memory at the post, also if packets are lost, and needs no key")
    void shouldBeCopiedAtThePost() {
        QueuePair qp = connected();
        for (int round = 1; round <= 20; round++) {
            unregistered.fill((byte) round);
            assertThat(write(qp, SendOpcode.RDMA_WRITE, INLINE, unregistered.address(), MAX_BYTES, 0))
                    .isZero();
            unregistered.fill((byte) -1);

            assertThat(pair.awaitA().status()).isZero();
            for (int i = 0; i < MAX_BYTES; i++) {
                assertThat(pair.ofB.segment().get(ValueLayout.JAVA_BYTE, i)).isEqualTo((byte) round);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = QueuePairType.class, names = "RC", mode = EnumSource.Mode.EXCLUDE)
    void shouldWorkOnUnreliableQueuePairs(QueuePairType type) {
        try (Pair calm = Pair.with(LinkFaults.NONE, 4096)) {
            QueuePairCapabilities sizes = new QueuePairCapabilities(8, 8, 2, 1, MAX_BYTES);
            QueuePair from =
                    calm.a.domain.createQueuePair(new QueuePairConfig(type, calm.a.cq, calm.a.cq, sizes, false));
            QueuePair to = calm.b.create(type);
            if (type == QueuePairType.UD) {
                calm.a.toSend(from);
                calm.b.toSend(to);
            } else {
                TestNode.connect(calm.a, from, calm.b, to);
            }
            calm.b.receive(to, 7, calm.ofB, 0, 64);
            calm.a.sends.set(0, 1, SendOpcode.SEND, INLINE, 2);
            calm.a.sends.setSge(0, 0, calm.ofA.address(), 5, 0);
            calm.a.sends.setSge(0, 1, calm.ofA.address() + 5, 3, calm.ofA.lkey());
            if (type == QueuePairType.UD) {
                calm.a.sends.setDatagram(0, calm.a.handleTo(calm.b).handle(), to.number(), TestNode.QKEY);
            }
            calm.a.sends.chain(0, 1);
            assertThat(from.postSend(calm.a.sends, 0)).isZero();

            TestNode.Completion received = calm.awaitB();
            int at = type == QueuePairType.UD ? RouteHeader.BYTES : 0;
            assertThat(received.byteLength()).isEqualTo(at + 8);
            assertThat(MemorySegment.mismatch(calm.ofB.segment(), at, at + 8, calm.ofA.segment(), 0, 8))
                    .isEqualTo(-1);
        }
    }

    @Test
    void shouldBeRejectedOverTheLimitAndForReads() {
        QueuePair qp = connected();
        assertThat(write(qp, SendOpcode.RDMA_WRITE, INLINE, pair.ofA.address(), MAX_BYTES + 1, pair.ofA.lkey()))
                .isEqualTo(Errno.EINVAL);
        assertThat(write(qp, SendOpcode.RDMA_READ, INLINE, pair.ofA.address(), 8, pair.ofA.lkey()))
                .isEqualTo(Errno.EINVAL);
        assertThat(pair.a.next()).isNull();
    }

    @Test
    void shouldNotAffectTheNextMessageOfTheSameEntry() {
        QueuePair qp = connected();
        for (int i = 0; i < 32; i++) {
            int flags = i % 2 == 0 ? INLINE : SendFlags.SIGNALED;
            pair.ofB.segment().fill((byte) 0);
            assertThat(write(qp, SendOpcode.RDMA_WRITE, flags, pair.ofA.address() + i, 8, pair.ofA.lkey()))
                    .isZero();
            assertThat(pair.awaitA().status()).isZero();
            assertThat(MemorySegment.mismatch(pair.ofB.segment(), 0, 8, pair.ofA.segment(), i, i + 8))
                    .isEqualTo(-1);
        }
    }
}
