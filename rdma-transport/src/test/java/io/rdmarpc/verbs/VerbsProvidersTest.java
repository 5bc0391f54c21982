package io.rdmarpc.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketException;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The choice of a device")
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
    void whenTheDeviceAskedForHasNoSuchPortThenItIsClosedAgain() throws SocketException {
        Map<String, String> options = softAt(freeUdpPort());

        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> VerbsProviders.open("soft", "soft0", 0, options))
                .withMessageContaining("ibv_query_port");

        // An open one would still have the UDP port.
        try (RdmaContext context =
                VerbsProviders.open("soft", "soft0", 1, options).context()) {
            assertThat(context.queryPort(1).isActive()).isTrue();
        }
    }
}
