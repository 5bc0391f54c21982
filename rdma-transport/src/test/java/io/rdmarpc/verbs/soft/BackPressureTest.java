package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.LinkPacketHandler;
import io.rdmarpc.verbs.soft.link.PacketLink;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A link that is full most of the time: packets wait, stay in order, and none is lost or duplicated. */
@Timeout(60)
class BackPressureTest {

    private static final int LENGTH = 300_000;

    private final MemoryNetwork network = new MemoryNetwork();
    private final FakeClock clock = new FakeClock();
    private final FullLink linkOfA = new FullLink(network.link(TestNode.LOOPBACK_IP, 5001));
    private final FullLink linkOfB = new FullLink(network.link(TestNode.LOOPBACK_IP, 5002));
    private final TestNode a = new TestNode(linkOfA, clock);
    private final TestNode b = new TestNode(linkOfB, clock);

    /** Accepts one packet after each poll. */
    private static final class FullLink implements PacketLink {
        private final PacketLink link;
        private int room;

        private FullLink(PacketLink link) {
            this.link = link;
        }

        @Override
        public boolean send(int localIndex, LinkAddress destination, PacketBuffer packet) {
            return room-- > 0 && link.send(localIndex, destination, packet);
        }

        @Override
        public int poll(int max, LinkPacketHandler handler) {
            room = 1;
            return link.poll(max, handler);
        }

        @Override
        public int port() {
            return link.port();
        }

        @Override
        public int receiveWindowBytes() {
            return link.receiveWindowBytes();
        }

        @Override
        public void close() {
            link.close();
        }
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
    }

    @Test
    void shouldKeepDatagramsInOrder() {
        QueuePair from = a.datagrams();
        QueuePair to = b.datagrams();
        MemoryRegion ofA = a.register(32 * 4);
        MemoryRegion ofB = b.register(32 * 64, AccessFlag.LOCAL_WRITE);
        long handle = a.handleTo(b).handle();
        for (int i = 0; i < 32; i++) {
            ofA.segment().setAtIndex(ValueLayout.JAVA_INT, i, i);
            b.receive(to, i, ofB, i * 64L, 64);
            a.sends.set(i, i, SendOpcode.SEND, SendFlags.SIGNALED, 1);
            a.sends.setSge(i, 0, ofA.address() + i * 4L, 4, ofA.lkey());
            a.sends.setDatagram(i, handle, to.number(), TestNode.QKEY);
        }
        a.sends.chain(0, 32);
        assertThat(from.postSend(a.sends, 0)).isZero();
        for (int i = 0; i < 32; i++) {
            assertThat(next(a, b).wrId()).isEqualTo(i);
        }
        for (int i = 0; i < 32; i++) {
            assertThat(next(b, a).wrId()).isEqualTo(i);
            assertThat(ofB.segment().get(ValueLayout.JAVA_INT_UNALIGNED, i * 64L + 40))
                    .isEqualTo(i);
        }
        assertThat(b.counters().received()).isEqualTo(32);
    }

    @Test
    void shouldKeepTheContentOfInlineDatagramsFromTheirPost() {
        QueuePair from = a.domain.createQueuePair(
                new QueuePairConfig(QueuePairType.UD, a.cq, a.cq, new QueuePairCapabilities(8, 8, 1, 1, 16), false));
        a.toSend(from);
        QueuePair to = b.datagrams();
        MemoryRegion ofA = a.register(4);
        MemoryRegion ofB = b.register(8 * 64, AccessFlag.LOCAL_WRITE);
        a.sends.set(0, 0, SendOpcode.SEND, SendFlags.INLINE, 1);
        a.sends.setSge(0, 0, ofA.address(), 4, ofA.lkey());
        a.sends.setDatagram(0, a.handleTo(b).handle(), to.number(), TestNode.QKEY);
        a.sends.chain(0, 1);
        for (int i = 0; i < 8; i++) {
            b.receive(to, i, ofB, i * 64L, 64);
            ofA.segment().set(ValueLayout.JAVA_INT_UNALIGNED, 0, i);
            assertThat(from.postSend(a.sends, 0)).isZero();
            ofA.segment().set(ValueLayout.JAVA_INT_UNALIGNED, 0, -1);
        }
        for (int i = 0; i < 8; i++) {
            assertThat(next(b, a).wrId()).isEqualTo(i);
            assertThat(ofB.segment().get(ValueLayout.JAVA_INT_UNALIGNED, i * 64L + 40))
                    .isEqualTo(i);
        }
    }

    private static TestNode.Completion next(TestNode of, TestNode other) {
        TestNode.Completion completion;
        do {
            other.progress();
            completion = of.next();
        } while (completion == null);
        return completion;
    }

    @Test
    void shouldReadWithoutRetries() {
        QueuePair qp = a.create(QueuePairType.RC);
        TestNode.connect(a, qp, b, b.create(QueuePairType.RC));
        MemoryRegion into = a.register(LENGTH, AccessFlag.LOCAL_WRITE);
        MemoryRegion from = b.register(LENGTH, AccessFlag.REMOTE_READ);
        from.segment().fill((byte) 3);
        a.read(qp, 1, into, 0, LENGTH, from.address(), from.rkey());
        assertThat(next(a, b).status()).isZero();
        assertThat(into.segment().mismatch(from.segment())).isEqualTo(-1);
        assertThat(a.counters().retries()).isZero();
        assertThat(a.counters().dropped()).isZero();
    }

    @Test
    void shouldSendAndWriteWithoutRetries() {
        QueuePair qp = a.create(QueuePairType.RC);
        QueuePair peer = b.create(QueuePairType.RC);
        TestNode.connect(a, qp, b, peer);
        MemoryRegion ofA = Pair.everythingAllowed(a, LENGTH);
        MemoryRegion ofB = Pair.everythingAllowed(b, 2 * LENGTH);
        Pair.fill(ofA.segment(), 1);
        b.receive(peer, 7, ofB, LENGTH, LENGTH);
        a.message(qp, 1, SendOpcode.RDMA_WRITE, ofA, 0, LENGTH, TestNode.Remote.of(ofB, 0));
        a.message(qp, 2, SendOpcode.SEND, ofA, 0, LENGTH, TestNode.Remote.NONE);
        assertThat(next(a, b).wrId()).isEqualTo(1);
        assertThat(next(a, b).wrId()).isEqualTo(2);
        assertThat(next(b, a).wrId()).isEqualTo(7);
        assertThat(ofB.segment().asSlice(0, LENGTH).mismatch(ofA.segment())).isEqualTo(-1);
        assertThat(ofB.segment().asSlice(LENGTH, LENGTH).mismatch(ofA.segment()))
                .isEqualTo(-1);
        assertThat(a.counters().retries()).isZero();
        assertThat(a.counters().dropped() + b.counters().dropped()).isZero();
    }

    @Test
    void whenThereIsRoomThenInvalidRequestsAreRejected() {
        QueuePair qp = a.create(QueuePairType.RC);
        QueuePair peer = b.create(QueuePairType.RC);
        TestNode.connect(a, qp, b, peer);
        MemoryRegion into = a.register(10, AccessFlag.LOCAL_WRITE);
        a.read(qp, 1, into, 0, 10, 0, 0);
        assertThat(next(a, b).status()).isPositive();
        assertThat(peer.queryState()).isEqualTo(QueuePairState.ERR);
    }
}
