package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.rdmarpc.autoconfigure.actuator.RdmaEndpoint;
import io.rdmarpc.autoconfigure.actuator.RdmaReport;
import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.integration.app.TestAuthority;
import io.rdmarpc.rpc.error.RdmaRejectedException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.service.server.security.RdmaAuthorization;
import io.rdmarpc.service.server.security.ServiceAccess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** Who may connect and who may call, with Spring's SSL bundles from PEM files. */
@Timeout(180)
class SecurityTest {

    @TempDir
    static Path directory;

    private static TestAuthority authority;
    private static TestAuthority strangers;

    private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();
    private ConfigurableApplicationContext server;

    /** Lets nobody in whose certificate is a guest's, beside what the settings say. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(TestApplication.Server.class)
    static class NoGuests {

        @Bean
        RdmaAuthorization noGuests() {
            return (service, peer) ->
                    peer.principal() != null && !peer.principal().getName().contains("guest");
        }
    }

    @BeforeAll
    static void makeCertificates() throws Exception {
        authority = new TestAuthority(directory, "authority");
        strangers = new TestAuthority(directory, "strangers");
        authority.issue("server", "CN=server", "ip:127.0.0.1,dns:localhost");
        authority.issue("elsewhere", "CN=elsewhere", "dns:elsewhere.example.com");
        authority.issue("client", "CN=billing, O=Example", "dns:billing.example.com");
        authority.issue("guest", "CN=guest", "uri:spiffe://example.com/guest");
        authority.issue("expired", "CN=expired", "ip:127.0.0.1", "-startdate", "-10d", "-validity", "5");
        strangers.issue("stranger", "CN=billing, O=Example", "ip:127.0.0.1,dns:localhost");
    }

    @AfterEach
    void close() {
        contexts.reversed().forEach(ConfigurableApplicationContext::close);
    }

    private static String[] bundle(String file, String... more) throws Exception {
        List<String> all = new ArrayList<>(List.of(TestAuthority.bundle(directory, file, authority)));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    private void serve(String... properties) {
        serve(TestApplication.Server.class, properties);
    }

    private void serve(Class<?> application, String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("management.endpoints.web.exposure.include=*");
        server = TestApplication.run(application, all.toArray(String[]::new));
        contexts.add(server);
    }

    private Orders client(String... properties) {
        List<String> all = new ArrayList<>(List.of("rdma.client.timeout=1s"));
        all.addAll(List.of(properties));
        ConfigurableApplicationContext client = TestApplication.client(server, all.toArray(String[]::new));
        contexts.add(client);
        return client.getBean(Orders.class);
    }

    private static void expectUnavailable(Orders orders, String words) {
        assertThatExceptionOfType(RdmaUnavailableException.class)
                .isThrownBy(() -> orders.add(1, 2))
                .withMessageContaining(words);
    }

    private double rejections(String reason) {
        return server.getBean(MeterRegistry.class)
                .get("rdma.sessions.rejected")
                .tag("reason", reason)
                .functionCounter()
                .count();
    }

    private RdmaReport report() {
        return server.getBean(RdmaEndpoint.class).report();
    }

    @Test
    void whenBothSidesTrustTheAuthorityThenCallsWork() throws Exception {
        serve(bundle("server"));
        Orders orders = client(bundle("client"));
        assertThat(orders.add(1, 2)).isEqualTo(3);
        assertThat(orders.echo(new byte[200_000])).hasSize(200_000);
    }

    @Test
    void whenTheServersCertificateHasExpiredThenTheClientSaysSo() throws Exception {
        serve(bundle("expired"));
        expectUnavailable(client(bundle("client")), "certificate_expired");
    }

    @Test
    void whenTheClientsCertificateHasExpiredThenItIsNotTaken() throws Exception {
        serve(bundle("server"));
        expectUnavailable(client(bundle("expired")), "certificate");
        assertThat(rejections("tls")).isPositive();
        assertThat(report().rejections().get("tls")).isPositive();
        assertThat(client(bundle("client")).add(1, 2))
                .as("others are served on")
                .isEqualTo(3);
    }

    @Test
    void whenTheServersCertificateIsAStrangersThenTheClientGoes() throws Exception {
        serve(TestAuthority.bundle(directory, "stranger", authority, strangers));
        expectUnavailable(client(bundle("client")), "certification path");
    }

    @Test
    void whenTheClientsCertificateIsAStrangersThenItIsNotTaken() throws Exception {
        serve(bundle("server"));
        expectUnavailable(client(TestAuthority.bundle(directory, "stranger", authority, strangers)), "certificate");
    }

    @Test
    void whenTheServersCertificateIsForAnotherHostThenTheClientGoes() throws Exception {
        serve(bundle("elsewhere"));
        expectUnavailable(client(bundle("client")), "127.0.0.1");
        assertThat(client(bundle("client", "rdma.security.ssl.verify-hostname=false"))
                        .add(1, 2))
                .as("unless names do not matter")
                .isEqualTo(3);
    }

    @Test
    void whenTheTokenIsWrongThenTheClientIsRejectedAtOnce() {
        serve("rdma.security.token=correct horse battery staple");
        assertThatExceptionOfType(RdmaRejectedException.class)
                .isThrownBy(() ->
                        client("rdma.security.token=wrong horse battery staple").add(1, 2))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(SessionRejectReason.UNAUTHENTICATED))
                .withMessageContaining("rdma.security.token must be the same on both sides");
        assertThat(rejections("unauthenticated")).isOne();
        assertThat(report().rejections()).containsEntry("unauthenticated", 1L).containsEntry("tls", 0L);
        assertThat(client("rdma.security.token=correct horse battery staple").add(1, 2))
                .isEqualTo(3);
    }

    @Test
    void whenTheBundleIsReloadedThenNewConnectionsUseItAndOldOnesLiveOn() throws Exception {
        authority.issue("changing", "CN=first", "ip:127.0.0.1");
        serve(bundle(
                "changing",
                "spring.ssl.bundle.pem.rdma.reload-on-update=true",
                "spring.ssl.bundle.watch.file.quiet-period=200ms"));
        Orders old = client(bundle("client"));
        assertThat(old.add(1, 2)).isEqualTo(3);
        strangers.issue("changing", "CN=second", "ip:127.0.0.1");
        String[] trustsOnlyTheNew = TestAuthority.bundle(directory, "client", strangers);
        Orders fresh = client(trustsOnlyTheNew);
        Awaitility.await()
                .atMost(60, TimeUnit.SECONDS)
                .ignoreExceptionsInstanceOf(RdmaRpcException.class)
                .until(() -> fresh.add(1, 2) == 3);
        assertThat(old.add(2, 3)).isEqualTo(5);
    }

    @Test
    void whenARuleNamesThePeerThenOthersAreRejectedAndTheirSessionsLiveOn() throws Exception {
        serve(bundle("server", "rdma.server.services[test.Orders].allow=CN=billing"));
        assertThat(client(bundle("client")).add(1, 2)).isEqualTo(3);
        Orders guest = client(bundle("guest"));
        for (int i = 0; i < 3; i++) {
            assertThatExceptionOfType(RdmaRpcException.class)
                    .isThrownBy(() -> guest.add(1, 2))
                    .withMessageContaining("peer CN=guest may not call service test.Orders")
                    .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.PERMISSION_DENIED));
        }
        assertThat(server.getBean(ServiceAccess.class).rejections()).isEqualTo(Map.of("test.Orders", 3L));
        assertThat(report().services())
                .extracting(RdmaReport.Service::callsDenied)
                .containsExactly(3L);
        assertThat(server.getBean(MeterRegistry.class)
                        .get("rpc.server.call.duration")
                        .tag("rpc.status_code", "PERMISSION_DENIED")
                        .timer()
                        .count())
                .isEqualTo(3);
    }

    @Test
    void whenABeanRejectsThenTheRuleDoesNotHelp() throws Exception {
        serve(NoGuests.class, bundle("server", "rdma.server.services[test.Orders].allow=*"));
        assertThat(client(bundle("client")).add(1, 2)).isEqualTo(3);
        assertThatExceptionOfType(RdmaRpcException.class)
                .isThrownBy(() -> client(bundle("guest")).add(1, 2))
                .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.PERMISSION_DENIED));
    }

    @Test
    void whenCertificatesAreWantedThenARuleAppliesToClientsWithOne() throws Exception {
        serve(bundle(
                "server", "rdma.security.ssl.client-auth=want", "rdma.server.services[test.Orders].allow=CN=billing"));
        assertThat(client(bundle("client")).add(1, 2)).isEqualTo(3);
    }

    @Test
    void whenCertificatesAreNotAskedForThenARuleStopsTheStart() throws Exception {
        String[] properties = bundle(
                "server", "rdma.security.ssl.client-auth=none", "rdma.server.services[test.Orders].allow=CN=billing");
        assertThatThrownBy(() -> serve(properties))
                .rootCause()
                .hasMessageContaining("do not set rdma.security.ssl.client-auth to none");
    }

    @Test
    void whenASubjectWithCommasBecameSeveralRulesThenTheStartFails() throws Exception {
        String[] properties = bundle("client", "rdma.server.services[test.Orders].allow=CN=billing,O=Example");
        assertThatThrownBy(() -> serve(properties))
                .rootCause()
                .hasMessageContaining("the rule O=Example is only a part of a subject")
                .hasMessageContaining("as an item of a YAML list");
    }

    @Test
    void whenARuleIsAboutNoServiceThenTheStartFails() throws Exception {
        String[] properties = bundle("server", "rdma.server.services[test.Order].allow=*");
        assertThatThrownBy(() -> serve(properties))
                .rootCause()
                .hasMessageContaining(
                        "rdma.server.services has rules for test.Order, but the services are test.Orders");
    }

    @Test
    void whenThereAreRulesButNoCertificatesThenTheStartFails() {
        assertThatThrownBy(() -> serve("rdma.server.services[test.Orders].allow=*"))
                .rootCause()
                .hasMessageContaining("rules match client certificates, but the server does not request them");
    }

    @Test
    void whenThereIsNoSuchBundleThenTheStartFails() {
        assertThatThrownBy(() -> serve("rdma.security.ssl.bundle=nowhere"))
                .rootCause()
                .hasMessageContaining("there is no SSL bundle of this name");
    }
}
