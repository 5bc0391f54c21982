package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.config.ClientAuth;
import io.rdmarpc.rpc.config.ControlConfig;
import io.rdmarpc.rpc.config.ControlSecurity;
import io.rdmarpc.rpc.error.RdmaRejectedException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.rpc.wire.Mac;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
@DisplayName("The security of the control connection: it accepts")
class ControlSecurityTest {

    private static final String TOKEN = "correct horse battery staple";
    private static final Duration SHORT = Duration.ofMillis(1_500);

    @TempDir
    static Path directory;

    private static TestCertificate serverKey;
    private static TestCertificate clientKey;
    private static TestCertificate otherKey;

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private RdmaRuntime serving;
    private RdmaRuntime calling;

    @BeforeAll
    static void makeCertificates() throws Exception {
        serverKey = new TestCertificate(directory, "server", "dns:localhost,ip:127.0.0.1");
        clientKey = new TestCertificate(directory, "client", "dns:client");
        otherKey = new TestCertificate(directory, "other", "dns:elsewhere");
    }

    @AfterEach
    void close() {
        calling.close();
        serving.close();
        executor.close();
        assertThat(serving.registeredBytes()).isZero();
        Runtimes.await("the threads to end", () -> Runtimes.threads().isEmpty());
    }

    private static RdmaRuntime open(ControlSecurity security) {
        return Runtimes.open(Runtimes.PATIENT.toBuilder()
                .control(ControlConfig.DEFAULTS.withSecurity(security))
                .build());
    }

    private RpcChannel channel(ControlSecurity server, ControlSecurity client) {
        serving = open(server);
        serving.export(Echo.export(executor));
        calling = open(client);
        RpcServer listening = Runtimes.listen(serving);
        return Runtimes.channel(calling, listening);
    }

    private static ControlSecurity tls(SSLContext context, boolean clients) {
        return ControlSecurity.NONE.withTls(context, clients ? ClientAuth.NEED : ClientAuth.NONE, true);
    }

    private void expectWork(RpcChannel channel) {
        RpcSession session = channel.session(Runtimes.LONG);
        Runtimes.echo(session, 10);
        Runtimes.echo(session, 100_000);
        channel.verify(session, Echo.CONTRACT);
    }

    private void expectUnavailable(RpcChannel channel, String reason) {
        assertThatExceptionOfType(RdmaUnavailableException.class)
                .isThrownBy(() -> channel.session(SHORT))
                .withMessageContaining(reason);
        assertThat(serving.statistics().serverSessions()).isZero();
    }

    private void expectRejected(RpcChannel channel, String reason) {
        assertThatExceptionOfType(RdmaRejectedException.class)
                .isThrownBy(() -> channel.session(SHORT))
                .withMessageContaining(reason)
                .satisfies(e -> assertThat(e.reason()).isEqualTo(SessionRejectReason.UNAUTHENTICATED));
        assertThat(serving.statistics().serverSessions()).isZero();
    }

    @Test
    @DisplayName("TLS with certificates on both sides")
    void whenBothCertificatesAreTrustedThenCallsWork() throws Exception {
        expectWork(channel(tls(serverKey.trusting(clientKey), true), tls(clientKey.trusting(serverKey), false)));
    }

    @Test
    @DisplayName("TLS and token together")
    void whenCertificatesAndTokenFitThenCallsWork() throws Exception {
        expectWork(channel(
                tls(serverKey.trusting(), false).withToken(TOKEN),
                tls(TestCertificate.anonymous(serverKey), false).withToken(TOKEN)));
    }

    @Test
    @DisplayName("no client without a certificate if one is needed")
    void whenTheClientHasNoCertificateThenItIsRejected() throws Exception {
        expectUnavailable(
                channel(tls(serverKey.trusting(clientKey), true), tls(TestCertificate.anonymous(serverKey), false)),
                "could not be reached");
        assertThat(serving.tlsFailures()).isPositive();
    }

    @Test
    @DisplayName("a client without a certificate if one is wanted")
    void whenACertificateIsWantedThenAClientWithoutOneConnects() throws Exception {
        expectWork(channel(
                ControlSecurity.NONE.withTls(serverKey.trusting(clientKey), ClientAuth.WANT, true),
                tls(TestCertificate.anonymous(serverKey), false)));
    }

    @Test
    @DisplayName("no client with a certificate that the server does not trust")
    void whenTheClientsCertificateIsUntrustedThenItIsRejected() throws Exception {
        expectUnavailable(
                channel(tls(serverKey.trusting(clientKey), true), tls(otherKey.trusting(serverKey), false)),
                "could not be reached");
    }

    @Test
    @DisplayName("no server with a certificate that the client does not trust")
    void whenTheServersCertificateIsUntrustedThenTheClientDisconnects() throws Exception {
        expectUnavailable(
                channel(tls(otherKey.trusting(), false), tls(TestCertificate.anonymous(serverKey), false)),
                "could not be reached");
    }

    @Test
    @DisplayName("no server whose certificate is trusted, but for another host")
    void whenTheServersCertificateIsForAnotherHostThenTheClientDisconnects() throws Exception {
        expectUnavailable(
                channel(tls(otherKey.trusting(), false), tls(TestCertificate.anonymous(otherKey), false)),
                "could not be reached");
    }

    @Test
    @DisplayName("no client without TLS at a server with TLS")
    void whenTheClientHasNoTlsThenItIsRejected() throws Exception {
        expectUnavailable(channel(tls(serverKey.trusting(), false), ControlSecurity.NONE), "could not be reached");
    }

    @Test
    @DisplayName("no client with TLS at a server without TLS")
    void whenTheServerHasNoTlsThenTheClientDisconnects() throws Exception {
        expectUnavailable(
                channel(ControlSecurity.NONE, tls(TestCertificate.anonymous(serverKey), false)),
                "could not be reached");
    }

    @Test
    @DisplayName("CP-09 a token that both sides know")
    void whenBothKnowTheTokenThenCallsWork() {
        expectWork(channel(ControlSecurity.NONE.withToken(TOKEN), ControlSecurity.NONE.withToken(TOKEN)));
    }

    @Test
    @DisplayName("CP-09 no client with a wrong token, which is rejected at once with a code")
    void whenTheTokenIsWrongThenTheClientIsRejected() {
        expectRejected(
                channel(ControlSecurity.NONE.withToken(TOKEN), ControlSecurity.NONE.withToken(TOKEN + "!")),
                "the client does not know the shared token");
        assertThat(serving.rejections()).containsEntry(SessionRejectReason.UNAUTHENTICATED, 1L);
        assertThat(serving.tlsFailures()).isZero();
    }

    @Test
    @DisplayName("CP-09 no client without a token at a server with a token")
    void whenTheClientHasNoTokenThenItReportsThat() {
        expectRejected(
                channel(ControlSecurity.NONE.withToken(TOKEN), ControlSecurity.NONE),
                "it requires a shared token and this side has none");
    }

    @Test
    @DisplayName("CP-09 no server that does not prove that it knows the token")
    void whenTheServerHasNoTokenThenTheClientDisconnects() {
        expectRejected(
                channel(ControlSecurity.NONE, ControlSecurity.NONE.withToken(TOKEN)),
                "it has no shared token and this side requires one");
    }

    @Test
    @DisplayName("CP-16 no other message instead of a proof, and no proof of another connection")
    void whenTheProofIsInvalidThenTheClientIsRejected() throws IOException {
        RpcChannel good = channel(ControlSecurity.NONE.withToken(TOKEN), ControlSecurity.NONE.withToken(TOKEN));
        good.session(Runtimes.LONG);
        int port = Runtimes.listen(serving).address().getPort();
        ControlMessage[] instead = {
            PlayedPeer.open(1),
            new ControlMessage.Proof(new Mac(new byte[Mac.BYTES])),
            PlayedPeer.HELLO,
            new ControlMessage.Proven(new Mac(new byte[Mac.BYTES])),
            new ControlMessage.Heartbeat()
        };
        for (ControlMessage message : instead) {
            try (PlayedPeer client = PlayedPeer.connect(port)) {
                ControlMessage.Welcome welcome = (ControlMessage.Welcome) client.exchange(PlayedPeer.HELLO);
                assertThat(welcome.proofWanted()).isTrue();
                assertThat(client.exchange(message)).isInstanceOf(ControlMessage.Rejection.class);
                client.awaitClosed("a client without a proof stays");
            }
        }
        assertThat(serving.statistics().serverSessions()).isOne();
    }

    @Test
    @DisplayName("CP-20 no token that can be guessed; a token never appears in messages")
    void whenTheTokenIsShortThenItIsRejected() {
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> ControlSecurity.NONE.withToken("secret"))
                .withMessageContaining("security.token")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret"));
        assertThat(ControlSecurity.NONE.withToken(TOKEN)).hasToString("no TLS, token");
        serving = Runtimes.open();
        calling = Runtimes.open();
    }
}
