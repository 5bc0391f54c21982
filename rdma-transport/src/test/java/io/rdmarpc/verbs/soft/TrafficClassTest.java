package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.ffi.NativeAccess;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The traffic class of an address handle arrives in the receiver's route header: DSCP in the upper six bits, ECN in the
 * lower two.
 */
@Timeout(60)
class TrafficClassTest {

    private static final int GRH = 40;
    private static final int IPV4_AT = 20;

    @BeforeAll
    static void nativeAccess() {
        assumeTrue(NativeAccess.isGranted(), "JDK sockets do not report the traffic class");
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1,0", "127.0.0.1,184", "127.0.0.1,3", "127.0.0.1,186", "::1,0", "::1,136", "::1,1", "::1,255"})
    void shouldArriveWithTheDatagram(String address, int trafficClass) throws IOException {
        try (TestNode a = TestNode.overUdp(InetAddress.ofLiteral(address));
                TestNode b = TestNode.overUdp(InetAddress.ofLiteral(address))) {
            a.trafficClass = trafficClass;
            QueuePair from = a.datagrams();
            QueuePair to = b.datagrams();
            MemoryRegion ofA = a.register(64);
            MemoryRegion ofB = b.register(128, AccessFlag.LOCAL_WRITE);
            b.receive(to, 5, ofB, 0, 128);
            a.send(from, 1, ofA, 60, a.handleTo(b), to.number(), TestNode.QKEY);
            TestNode.Completion received;
            do {
                a.progress();
                received = b.next();
            } while (received == null);
            assertThat(received.byteLength()).isEqualTo(GRH + 60);
            assertThat(
                            address.contains(":")
                                    ? classOfIpv6(ofB)
                                    : ofB.segment().get(ValueLayout.JAVA_BYTE, IPV4_AT + 1) & 0xFF)
                    .isEqualTo(trafficClass);
            assertThat(b.counters().dropped()).as("the ICRC does not cover it").isZero();
        }
    }

    /** Returns the traffic class, which is between the version and the flow label. */
    private static int classOfIpv6(MemoryRegion region) {
        int first = region.segment().get(ValueLayout.JAVA_BYTE, 0) & 0x0F;
        int second = (region.segment().get(ValueLayout.JAVA_BYTE, 1) & 0xF0) >> 4;
        return first << 4 | second;
    }
}
