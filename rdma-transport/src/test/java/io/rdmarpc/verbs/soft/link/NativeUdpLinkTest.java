package io.rdmarpc.verbs.soft.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.ffi.NativeAccess;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A UDP link that uses Linux system calls")
class NativeUdpLinkTest extends UdpLinkContract {

    @BeforeAll
    static void onLinux() {
        assumeTrue(NativeAccess.isGranted(), "this is not Linux");
    }

    @Override
    Supplier<UdpSockets> kind() {
        return NativeSockets::new;
    }

    @Test
    void shouldReturnTheDescriptorsToSleepOn() throws IOException {
        try (UdpLink link = open(List.of(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("127.0.0.2")), 0)) {
            assertThat(link.descriptors()).hasSize(2).doesNotHaveDuplicates().doesNotContain(-1, 0, 1, 2);
            assertThat(link.prepareSleep()).isTrue();
        }
    }

    /** The kernel joins packets of one size and reports their traffic class once. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 40})
    void shouldReportTheTrafficClassOfEachPacket(int packets) throws IOException {
        InetAddress address = InetAddress.ofLiteral("127.0.0.1");
        try (UdpLink a = open(List.of(address), 0);
                UdpLink b = open(List.of(address), 0)) {
            for (int trafficClass : new int[] {0xBA, 0, 0x03}) {
                LinkAddress route = a.resolve(0, Gid.of(address), b.port(), trafficClass, 0);
                PacketBuffer packet = new PacketBuffer();
                packet.length(256);
                for (int i = 0; i < packets; i++) {
                    while (!a.send(0, route, packet)) {
                        a.flush();
                    }
                }
                a.flush();
                List<Integer> classes = new ArrayList<>();
                while (classes.size() < packets) {
                    b.poll(packets, (_, _, _, _, received) -> classes.add(received.trafficClass()));
                }
                assertThat(classes).containsOnly(trafficClass);
            }
        }
    }

    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

    private static LinkAddress route(UdpLink from, int port) {
        return from.resolve(0, Gid.of(LOOPBACK), port, 0, 0);
    }

    @Test
    void whenThereAreManyPeersThenTheFirstHaveConnectedSocketsAndAllArrive() throws IOException {
        List<UdpLink> peers = new ArrayList<>();
        try (UdpLink a = open(List.of(LOOPBACK), 0)) {
            for (int i = 0; i < 66; i++) {
                peers.add(open(List.of(LOOPBACK), 0));
            }
            List<LinkAddress> ways =
                    peers.stream().map(peer -> route(a, peer.port())).toList();
            assertThat(ways.subList(0, 64))
                    .extracting(LinkAddress::sourcePort)
                    .doesNotHaveDuplicates()
                    .doesNotContain(a.port());
            assertThat(ways.subList(64, 66)).extracting(LinkAddress::sourcePort).containsOnly(a.port());
            for (int i = 0; i < 66; i++) {
                a.send(0, ways.get(i), packet(40, i));
            }
            a.flush();
            for (int i = 0; i < 66; i++) {
                Arrived arrived = take(peers.get(i), 1).getFirst();
                assertThat(arrived.bytes()).isEqualTo(bytes(packet(40, i)));
                assertThat(arrived.sourcePort()).isEqualTo(ways.get(i).sourcePort());
            }
        } finally {
            peers.forEach(UdpLink::close);
        }
    }

    @Test
    void whenAPeerIsResolvedAgainThenItsSocketIsTheSame() throws IOException {
        try (UdpLink a = open(List.of(LOOPBACK), 0);
                UdpLink b = open(List.of(LOOPBACK), 0)) {
            assertThat(route(a, b.port()).sourcePort())
                    .isEqualTo(route(a, b.port()).sourcePort());
        }
    }

    @Test
    void whenAllRoutesToAPeerAreReleasedThenItsSocketIsClosedAndAnotherPeerHasOne() throws IOException {
        try (UdpLink a = open(List.of(LOOPBACK), 0);
                UdpLink b = open(List.of(LOOPBACK), 0)) {
            List<LinkAddress> ways = new ArrayList<>();
            for (int flow = 0; flow < 64; flow += 4) {
                ways.add(a.resolve(0, Gid.of(LOOPBACK), b.port(), 0, flow));
            }
            for (int i = 0; i < 200; i++) {
                LinkAddress route = route(a, 20_000 + i);
                assertThat(route.sourcePort()).isNotEqualTo(a.port());
                a.send(0, route, packet(40, i));
                a.release(route);
            }
            ways.subList(1, ways.size()).forEach(a::release);
            a.send(0, ways.getFirst(), packet(40, 1));
            a.flush();
            assertThat(take(b, 1)).hasSize(1);
            a.release(ways.getFirst());
            a.send(0, ways.getFirst(), packet(40, 2));
            a.send(0, ways.getFirst(), packet(40, 2));
            a.flush();
            assertThat(a.sendFailures()).isEqualTo(2);
        }
    }

    /** The kernel numbers the packets of a connected socket, which only a software RNIC accepts. */
    @Test
    void whenThePeerHasTheRocePortThenPacketsAreSentFromTheListeningSocket() throws IOException {
        try (UdpLink a = open(List.of(LOOPBACK), 0)) {
            assertThat(route(a, LinkAddress.ROCE_PORT).sourcePort()).isEqualTo(a.port());
        }
    }

    @Test
    void whenAPeerComesBackThenItsPacketsArriveAndNoSendHasFailed() throws IOException {
        try (UdpLink a = open(List.of(LOOPBACK), 0)) {
            UdpLink gone = open(List.of(LOOPBACK), 0);
            int port = gone.port();
            LinkAddress route = route(a, port);
            gone.close();
            for (int i = 0; i < 5; i++) {
                for (int k = 0; k <= i; k++) {
                    a.send(0, route, packet(40, i));
                }
                assertThat(a.prepareSleep()).isTrue();
            }
            try (UdpLink back = open(List.of(LOOPBACK), port)) {
                a.send(0, route, packet(40, 7));
                a.flush();
                assertThat(take(back, 1).getFirst().bytes()).isEqualTo(bytes(packet(40, 7)));
            }
            assertThat(a.sendFailures()).isZero();
        }
    }
}
