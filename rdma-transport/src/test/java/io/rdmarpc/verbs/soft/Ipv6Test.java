package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.rnic.DropReason;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("Two software RNICs over IPv6")
@Timeout(60)
class Ipv6Test {

    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("::1");
    private static final int GRH = 40;
    private static final int LENGTH = 100_001;

    private TestNode a;
    private TestNode b;

    @BeforeEach
    void open() throws IOException {
        a = TestNode.overUdp(LOOPBACK);
        b = TestNode.overUdp(LOOPBACK);
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
    }

    private TestNode.Completion next(TestNode of) {
        TestNode.Completion completion;
        do {
            a.progress();
            b.progress();
            completion = of.next();
        } while (completion == null);
        return completion;
    }

    @Test
    @DisplayName("have the IPv6 address as GID")
    void shouldHaveTheAddressAsGid() {
        assertThat(a.context.gidTable(1).getFirst().gid()).isEqualTo(Gid.of(LOOPBACK));
    }

    @Test
    @DisplayName("deliver the IPv6 header to the receiver of a datagram (RoCE v2 annex A17.4.5.2)")
    void shouldDeliverTheIpv6Header() {
        QueuePair from = a.datagrams();
        QueuePair to = b.datagrams();
        MemoryRegion ofA = a.register(64);
        MemoryRegion ofB = b.register(128, AccessFlag.LOCAL_WRITE);
        ofA.segment().fill((byte) 9);
        b.receive(to, 5, ofB, 0, 128);
        a.send(from, 1, ofA, 60, a.handleTo(b), to.number(), TestNode.QKEY);
        assertThat(next(b).byteLength()).isEqualTo(GRH + 60);
        MemorySegment header = ofB.segment().asSlice(0, GRH);
        assertThat(header.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 0x60);
        // UDP header, BTH, DETH, payload, ICRC.
        assertThat(header.get(ValueLayout.JAVA_BYTE, 5)).isEqualTo((byte) (8 + 12 + 8 + 60 + 4));
        assertThat(header.get(ValueLayout.JAVA_BYTE, 6)).isEqualTo((byte) 17);
        assertThat(header.asSlice(8, 16).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(LOOPBACK.getAddress());
        assertThat(header.asSlice(24, 16).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(LOOPBACK.getAddress());
        assertThat(ofB.segment().asSlice(GRH, 60).mismatch(ofA.segment().asSlice(0, 60)))
                .isEqualTo(-1);
    }

    @Test
    @DisplayName("write and read over a connection, also with a traffic class")
    void shouldWriteAndReadOverAConnection() {
        a.trafficClass = 0x68;
        QueuePair qp = a.create(QueuePairType.RC);
        TestNode.connect(a, qp, b, b.create(QueuePairType.RC));
        MemoryRegion ofA = Pair.everythingAllowed(a, 2 * LENGTH);
        MemoryRegion ofB = Pair.everythingAllowed(b, LENGTH);
        Pair.fill(ofA.segment(), 3);
        a.message(qp, 1, SendOpcode.RDMA_WRITE, ofA, 0, LENGTH, TestNode.Remote.of(ofB, 0));
        assertThat(next(a).status()).isZero();
        a.read(qp, 2, ofA, LENGTH, LENGTH, ofB.address(), ofB.rkey());
        assertThat(next(a).status()).isZero();
        assertThat(ofA.segment().asSlice(LENGTH, LENGTH).mismatch(ofA.segment().asSlice(0, LENGTH)))
                .isEqualTo(-1);
        // On a busy machine an acknowledgment may time out; the packet that is then retransmitted is dropped as well.
        for (DropReason reason : List.of(DropReason.MALFORMED, DropReason.WRONG_ICRC, DropReason.WRONG_SOURCE)) {
            assertThat(a.counters().dropped(reason) + b.counters().dropped(reason))
                    .as(reason.name())
                    .isZero();
        }
    }

    @Test
    @DisplayName("reject a route between address families")
    void shouldRejectARouteBetweenFamilies() {
        AddressHandleAttributes mixed = AddressHandleAttributes.to(Gid.of(TestNode.LOOPBACK), b.port(), 0, 1);
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> a.domain.createAddressHandle(mixed))
                .withMessageContaining("not both IPv4 or both IPv6");
    }

    @Test
    @DisplayName("reject a traffic class that is not a byte")
    void shouldRejectAnInvalidTrafficClass() {
        AddressHandleAttributes tooMuch = new AddressHandleAttributes(Gid.of(LOOPBACK), b.port(), 0, 64, 256, 0, 1);
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> a.domain.createAddressHandle(tooMuch))
                .withMessageContaining("Traffic class 256");
    }
}
