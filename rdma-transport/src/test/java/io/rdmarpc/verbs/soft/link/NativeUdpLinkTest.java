package io.rdmarpc.verbs.soft.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.verbs.Gid;
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

@DisplayName("A link over UDP by calls of Linux")
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
    void shouldTellWhatToSleepOn() throws IOException {
        try (UdpLink link = open(List.of(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("127.0.0.2")), 0)) {
            assertThat(link.descriptors()).hasSize(2).doesNotHaveDuplicates().doesNotContain(-1, 0, 1, 2);
            assertThat(link.prepareSleep()).isTrue();
        }
    }

    /** The kernel puts packets of one size together and tells the class once. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 40})
    void shouldTellTheTrafficClassOfEachPacket(int packets) throws IOException {
        InetAddress address = InetAddress.ofLiteral("127.0.0.1");
        try (UdpLink a = open(List.of(address), 0);
                UdpLink b = open(List.of(address), 0)) {
            for (int trafficClass : new int[] {0xBA, 0, 0x03}) {
                LinkAddress way = a.resolve(0, Gid.of(address), b.port(), trafficClass, 0);
                PacketBuffer packet = new PacketBuffer();
                packet.length(256);
                for (int i = 0; i < packets; i++) {
                    while (!a.send(0, way, packet)) {
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
}
