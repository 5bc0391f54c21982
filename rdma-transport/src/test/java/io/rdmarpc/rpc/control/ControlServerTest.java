package io.rdmarpc.rpc.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.config.ClientAuth;
import io.rdmarpc.rpc.config.ControlConfig;
import io.rdmarpc.rpc.config.ControlSecurity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@DisplayName("A control port")
class ControlServerTest {

    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private static ControlConfig withTls(String version) throws NoSuchAlgorithmException {
        return ControlConfig.DEFAULTS.withSecurity(ControlSecurity.NONE
                .withTls(SSLContext.getDefault(), ClientAuth.NONE, false)
                .withTlsVersions(List.of(version), List.of()));
    }

    /** Runs the control loop until the server has closed the connection. */
    private static void awaitHangUp(ControlRig rig, Socket client) throws IOException {
        client.setSoTimeout(1);
        int read = 0;
        while (read >= 0) {
            rig.turn();
            try {
                read = client.getInputStream().read();
            } catch (SocketTimeoutException e) {
                // Not yet closed.
            }
        }
    }

    @Test
    @DisplayName("CP-09 whose TLS cannot be set up disconnects clients, keeps no state of them, and closes")
    void whenTlsCannotBeSetUpThenNoStateOfTheClientIsKept() throws Exception {
        ControlRig rig = new ControlRig(withTls("TLSv9"));
        ControlServer server = ControlServer.open(rig.context, ANY_PORT);
        for (int i = 0; i < 3; i++) {
            try (Socket client =
                    new Socket(ANY_PORT.getAddress(), server.address().getPort())) {
                awaitHangUp(rig, client);
            }
        }
        assertThat(rig.context.handshakes.count()).as("pending handshakes").isZero();

        server.close();
        rig.assertNothingLeft();
    }

    @Test
    void whenTlsCanBeSetUpThenTheClientIsAccepted() throws Exception {
        ControlRig rig = new ControlRig(withTls("TLSv1.3"));
        ControlServer server = ControlServer.open(rig.context, ANY_PORT);
        try (Socket client = new Socket(ANY_PORT.getAddress(), server.address().getPort())) {
            while (rig.context.handshakes.count() == 0) {
                rig.turn();
            }
            server.close();
            awaitHangUp(rig, client);
        }
        rig.assertNothingLeft();
    }
}
