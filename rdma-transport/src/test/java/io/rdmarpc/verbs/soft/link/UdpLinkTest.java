package io.rdmarpc.verbs.soft.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.net.BindException;
import java.net.Inet4Address;
import java.util.List;
import org.junit.jupiter.api.Test;

class UdpLinkTest {

    private static final List<Inet4Address> TWO_ADDRESSES =
            List.of(Inet4Address.ofLiteral("127.0.0.1"), Inet4Address.ofLiteral("127.0.0.2"));

    @Test
    void shouldCarryPacketsBetweenAllAddressesFromOnePort() throws IOException {
        try (UdpLink a = UdpLink.open(TWO_ADDRESSES, 0);
                UdpLink b = UdpLink.open(TWO_ADDRESSES, 0)) {
            PacketBuffer packet = new PacketBuffer();
            packet.length(100);
            packet.bytes().putInt(96, 77);
            assertThat(a.send(1, LinkAddress.of(0x7F00_0001, b.port()), packet)).isTrue();
            assertThat(packet.length()).isEqualTo(100);
            int count = 0;
            while (count == 0) {
                count = b.poll(8, (index, sourceIp, sourcePort, received) -> {
                    assertThat(index).isZero();
                    assertThat(sourceIp).isEqualTo(0x7F00_0002);
                    assertThat(sourcePort).isEqualTo(a.port());
                    assertThat(received.length()).isEqualTo(100);
                    assertThat(received.bytes().getInt(96)).isEqualTo(77);
                });
            }
            assertThat(count).isEqualTo(1);
        }
    }

    @Test
    void shouldHearQuietSocketsToo() throws IOException {
        try (UdpLink a = UdpLink.open(TWO_ADDRESSES, 0)) {
            for (int i = 0; i < 5000; i++) {
                a.poll(8, (_, _, _, _) -> {});
            }
            PacketBuffer packet = new PacketBuffer();
            packet.length(32);
            a.send(0, LinkAddress.of(0x7F00_0002, a.port()), packet);
            int count = 0;
            for (int i = 0; i < 64; i++) {
                count += a.poll(8, (index, _, _, _) -> assertThat(index).isEqualTo(1));
            }
            assertThat(count).isEqualTo(1);
        }
    }

    @Test
    void whenPortIsTakenThenFailsAndLeavesNoSocketOpen() throws IOException {
        try (UdpLink taken = UdpLink.open(TWO_ADDRESSES.subList(1, 2), 0)) {
            assertThatExceptionOfType(BindException.class).isThrownBy(() -> UdpLink.open(TWO_ADDRESSES, taken.port()));
            UdpLink.open(TWO_ADDRESSES.subList(0, 1), taken.port()).close();
        }
    }

    @Test
    void whenClosedThenSendsAndPollsDoNothing() throws IOException {
        UdpLink link = UdpLink.open(TWO_ADDRESSES, 0);
        LinkAddress self = LinkAddress.of(0x7F00_0001, link.port());
        link.close();
        PacketBuffer packet = new PacketBuffer();
        packet.length(32);
        assertThat(link.send(0, self, packet)).isTrue();
        assertThat(link.poll(8, (_, _, _, _) -> {})).isZero();
        assertThat(link.sendFailures()).isEqualTo(1);
        assertThat(link.receiveFailures()).isEqualTo(2);
        link.close();
    }
}
