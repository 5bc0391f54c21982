package io.rdmarpc.verbs.soft.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.attributes.Gid;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class LostTrafficClassTest {

    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

    /** Sockets of a process that cannot open any after its listening sockets. */
    private static final class NoMoreSockets extends UdpSockets {
        private final ChannelSockets sockets = new ChannelSockets();
        private int made;

        @Override
        UdpSocket bind(InetAddress address, int port, int trafficClass) throws IOException {
            if (made++ > 0) {
                throw new IOException("too many open files");
            }
            return sockets.bind(address, port, trafficClass);
        }
    }

    @Test
    void whenNoSocketCanBeOpenedForAClassThenTheRouteWorksAndTheLossIsCounted() throws IOException {
        try (UdpLink link = UdpLink.open(List.of(LOOPBACK), 0, NoMoreSockets::new)) {
            LinkAddress route = link.resolve(0, Gid.of(LOOPBACK), 4791, 0xB8, 0);
            assertThat(route.sourcePort()).isEqualTo(link.port());
            assertThat(link.lostTrafficClasses()).isEqualTo(1);
        }
    }

    @Test
    void whenOnlyAnotherSourcePortIsMissingThenNothingIsLost() throws IOException {
        try (UdpLink link = UdpLink.open(List.of(LOOPBACK), 0, NoMoreSockets::new)) {
            assertThat(link.resolve(0, Gid.of(LOOPBACK), 4791, 0, 1).sourcePort())
                    .isEqualTo(link.port());
            assertThat(link.lostTrafficClasses()).isZero();
        }
    }

    @Test
    void shouldReportTheEffectAndTheRemedy() {
        assertThat(TrafficClassNotice.text(LOOPBACK, 184, new IOException("too many open files")))
                .contains(
                        "127.0.0.1", "traffic class 184", "too many open files", "Allow the process more descriptors");
    }
}
