package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.config.ClientAuth;
import io.rdmarpc.rpc.config.ControlConfig;
import io.rdmarpc.rpc.config.ControlSecurity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@DisplayName("The identity of a peer")
class PeerIdentityTest {

    private static final ServiceContract CONTRACT =
            new ServiceContract("test.Who", List.of(new ServiceContract.Method(1, "void who()")), List.of());

    @TempDir
    static Path directory;

    /** The identities that server and client see. */
    private static List<PeerIdentity> meet(ControlSecurity server, ControlSecurity client)
            throws InterruptedException, ExecutionException, TimeoutException {
        CompletableFuture<PeerIdentity> seen = new CompletableFuture<>();
        try (RdmaRuntime serving = open(server);
                RdmaRuntime calling = open(client)) {
            serving.export(new ServiceExport(
                    CONTRACT,
                    List.of(new ServiceExport.Method(
                            1,
                            request -> {
                                seen.complete(request.identity());
                                request.respond(request.allocate(0));
                            },
                            null))));
            RpcSession session =
                    Runtimes.channel(calling, Runtimes.listen(serving)).session(Runtimes.LONG);
            Echo.call(session, 1, new byte[0], Duration.ofSeconds(10)).get(10, TimeUnit.SECONDS);
            return List.of(seen.get(10, TimeUnit.SECONDS), session.info().identity());
        }
    }

    private static RdmaRuntime open(ControlSecurity security) {
        return Runtimes.open(Runtimes.PATIENT.toBuilder()
                .control(ControlConfig.DEFAULTS.withSecurity(security))
                .build());
    }

    @Test
    @DisplayName("is its address without TLS")
    void whenThereIsNoTlsThenAPeerIsItsAddress() throws Exception {
        List<PeerIdentity> peers = meet(ControlSecurity.NONE, ControlSecurity.NONE);

        assertThat(peers).allSatisfy(peer -> {
            assertThat(peer.address()).contains(":");
            assertThat(peer.principal()).isNull();
            assertThat(peer.certificates()).isEmpty();
        });
    }

    @Test
    @DisplayName("is the subject of the certificate that it presented")
    void whenBothPresentCertificatesThenPeersAreTheirSubjects() throws Exception {
        TestCertificate serverKey = new TestCertificate(directory, "server", "dns:localhost,ip:127.0.0.1");
        TestCertificate clientKey = new TestCertificate(directory, "client", "dns:client");

        List<PeerIdentity> peers = meet(
                ControlSecurity.NONE.withTls(serverKey.trusting(clientKey), ClientAuth.NEED, true),
                ControlSecurity.NONE.withTls(clientKey.trusting(serverKey), ClientAuth.NONE, true));

        assertThat(peers)
                .extracting(peer -> String.valueOf(peer.principal()))
                .containsExactly("CN=client", "CN=server");
        assertThat(peers).allSatisfy(peer -> assertThat(peer.certificates()).hasSize(1));
    }

    @Test
    @DisplayName("is the subject of a certificate that is wanted, not needed")
    void whenACertificateIsWantedThenAPeerWithOneIsItsSubject() throws Exception {
        TestCertificate serverKey = new TestCertificate(directory, "asking", "dns:localhost,ip:127.0.0.1");
        TestCertificate clientKey = new TestCertificate(directory, "asked", "dns:client");

        List<PeerIdentity> peers = meet(
                ControlSecurity.NONE.withTls(serverKey.trusting(clientKey), ClientAuth.WANT, true),
                ControlSecurity.NONE.withTls(clientKey.trusting(serverKey), ClientAuth.NONE, true));

        assertThat(String.valueOf(peers.getFirst().principal())).isEqualTo("CN=asked");
    }
}
