package io.rdmarpc.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.io.File;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketException;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The selection of a device")
class VerbsProvidersTest {

    private static Map<String, String> softAt(int udpPort) {
        return Map.of("soft.addresses", "127.0.0.1", "soft.port", String.valueOf(udpPort));
    }

    private static int freeUdpPort() throws SocketException {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.ofLiteral("127.0.0.1"))) {
            return socket.getLocalPort();
        }
    }

    @Test
    void whenTheSelectedDeviceLacksThePortThenItIsClosed() throws SocketException {
        Map<String, String> options = softAt(freeUdpPort());

        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> VerbsProviders.open("soft", "soft0", 0, options))
                .withMessageContaining("ibv_query_port");

        // If it were still open, the UDP port would be in use.
        try (RdmaContext context =
                VerbsProviders.open("soft", "soft0", 1, options).context()) {
            assertThat(context.queryPort(1).isActive()).isTrue();
        }
    }

    @Test
    @DisplayName("CP-18 without an RDMA device the software RNIC is used, and the reason names it")
    void whenThereIsNoRdmaDeviceThenTheSoftwareRnicIsUsed() throws SocketException {
        String[] devices = new File("/sys/class/infiniband").list();
        assumeThat(devices == null || devices.length == 0).as("no RDMA device").isTrue();

        VerbsProviders.Selection chosen =
                VerbsProviders.open(VerbsProviders.AUTO, VerbsProviders.AUTO, 1, softAt(freeUdpPort()));
        try (RdmaContext context = chosen.context()) {
            assertThat(chosen.provider()).isEqualTo("soft");
            assertThat(chosen.reason())
                    .isEqualTo(context.deviceName() + " of provider soft (this host has no RDMA device)");
        }
    }
}
