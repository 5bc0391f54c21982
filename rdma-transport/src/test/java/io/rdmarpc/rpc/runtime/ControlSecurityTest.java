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
@DisplayName("Who may connect")
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

    private void expectNobody(RpcChannel channel, String words) {
        assertThatExceptionOfType(RdmaUnavailableException.class)
                .isThrownBy(() -> channel.session(SHORT))
                .withMessageContaining(words);
        assertThat(serving.statistics().serverSessions()).isZero();
    }

    private void expectRefused(RpcChannel channel, String words) {
        assertThatExceptionOfType(RdmaRejectedException.class)
                .isThrownBy(() -> channel.session(SHORT))
                .withMessageContaining(words)
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
    @DisplayName("a client without a certificate where one is needed")
    void whenTheClientHasNoCertificateThenItIsNotTaken() throws Exception {
        expectNobody(
                channel(tls(serverKey.trusting(clientKey), true), tls(TestCertificate.anonymous(serverKey), false)),
                "could not be reached");
        assertThat(serving.tlsFailures()).isPositive();
    }

    @Test
    @DisplayName("a client without a certificate where one is wanted")
    void whenACertificateIsWantedThenAClientWithoutOneConnects() throws Exception {
        expectWork(channel(
                ControlSecurity.NONE.withTls(serverKey.trusting(clientKey), ClientAuth.WANT, true),
                tls(TestCertificate.anonymous(serverKey), false)));
    }

    @Test
    @DisplayName("a client with a certificate that the server does not trust")
    void whenTheClientsCertificateIsAStrangersThenItIsNotTaken() throws Exception {
        expectNobody(
                channel(tls(serverKey.trusting(clientKey), true), tls(otherKey.trusting(serverKey), false)),
                "could not be reached");
    }

    @Test
    @DisplayName("a server with a certificate that the client does not trust")
    void whenTheServersCertificateIsAStrangersThenTheClientGoes() throws Exception {
        expectNobody(
                channel(tls(otherKey.trusting(), false), tls(TestCertificate.anonymous(serverKey), false)),
                "could not be reached");
    }

    @Test
    @DisplayName("a server whose certificate is trusted, but for another host")
    void whenTheServersCertificateIsForAnotherHostThenTheClientGoes() throws Exception {
        expectNobody(
                channel(tls(otherKey.trusting(), false), tls(TestCertificate.anonymous(otherKey), false)),
                "could not be reached");
    }

    @Test
    @DisplayName("a client without TLS at a server with it")
    void whenTheClientHasNoTlsThenItIsNotTaken() throws Exception {
        expectNobody(channel(tls(serverKey.trusting(), false), ControlSecurity.NONE), "could not be reached");
    }

    @Test
    @DisplayName("a client with TLS at a server without")
    void whenTheServerHasNoTlsThenTheClientGoes() throws Exception {
        expectNobody(
                channel(ControlSecurity.NONE, tls(TestCertificate.anonymous(serverKey), false)),
                "could not be reached");
    }

    @Test
    @DisplayName("CP-09 a token that both know")
    void whenBothKnowTheTokenThenCallsWork() {
        expectWork(channel(ControlSecurity.NONE.withToken(TOKEN), ControlSecurity.NONE.withToken(TOKEN)));
    }

    @Test
    @DisplayName("CP-09 a client with a wrong token is refused, with a code, at once")
    void whenTheTokenIsWrongThenTheClientIsRefused() {
        expectRefused(
                channel(ControlSecurity.NONE.withToken(TOKEN), ControlSecurity.NONE.withToken(TOKEN + "!")),
                "the client does not know the shared token");
        assertThat(serving.rejections()).containsEntry(SessionRejectReason.UNAUTHENTICATED, 1L);
        assertThat(serving.tlsFailures()).isZero();
    }

    @Test
    @DisplayName("CP-09 a client without a token at a server with one")
    void whenTheClientHasNoTokenThenItSaysSo() {
        expectRefused(
                channel(ControlSecurity.NONE.withToken(TOKEN), ControlSecurity.NONE),
                "it wants a shared token and this side has none");
    }

    @Test
    @DisplayName("CP-09 a server that does not prove that it knows the token is not trusted")
    void whenTheServerHasNoTokenThenTheClientGoes() {
        expectRefused(
                channel(ControlSecurity.NONE, ControlSecurity.NONE.withToken(TOKEN)),
                "it knows no shared token and this side insists on one");
    }

    @Test
    @DisplayName("CP-16 what comes instead of a proof is refused; a proof seen elsewhere is none here")
    void whenTheProofIsNoneThenTheClientIsRefused() throws IOException {
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
    @DisplayName("CP-20 a token that can be guessed is refused; none is in words")
    void whenTheTokenIsShortThenItIsRefused() {
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> ControlSecurity.NONE.withToken("secret"))
                .withMessageContaining("security.token")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret"));
        assertThat(ControlSecurity.NONE.withToken(TOKEN)).hasToString("no TLS, token");
        serving = Runtimes.open();
        calling = Runtimes.open();
    }
}
