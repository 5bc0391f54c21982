package io.rdmarpc.service.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rdmarpc.integration.app.TestAuthority;
import io.rdmarpc.rpc.PeerIdentity;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The peers that a rule matches. */
class CertificateRuleTest {

    @TempDir
    static Path directory;

    private static PeerIdentity peer;

    @BeforeAll
    static void makeCertificate() throws Exception {
        new TestAuthority(directory, "authority")
                .issue(
                        "peer",
                        "CN=billing, O=Example Ltd, C=DE",
                        "dns:a.shop.example.com,ip:10.1.2.3,uri:spiffe://example.com/Billing%2fEU,email:b@example.com");
        try (InputStream in = Files.newInputStream(directory.resolve("peer.crt"))) {
            Certificate own = CertificateFactory.getInstance("X.509").generateCertificate(in);
            peer = PeerIdentity.of("10.1.2.3:1", List.of(own));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "*",
                "CN=billing",
                "cn=billing",
                "CN=billing,O=Example Ltd,C=DE",
                "CN=billing, O=Example Ltd, C=DE",
                "dns:a.shop.example.com",
                "DNS:A.Shop.Example.COM",
                "dns:*.shop.example.com",
                "ip:10.1.2.3",
                "uri:spiffe://example.com/Billing%2fEU",
                "uri:SPIFFE://Example.COM/Billing%2FEU",
                "uri:spiffe://*/Billing*",
                "uri:spiffe://example.com/*",
                "email:b@example.com"
            })
    void shouldMatchThePeer(String rule) {
        assertThat(CertificateRule.parse(rule).matches(peer)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CN=bill",
                "CN=billing2",
                "O=Example Ltd",
                "CN=billing,O=Example Ltd",
                "CN=billing,O=Example Ltd,C=FR",
                "dns:shop.example.com",
                "dns:*.example.com",
                "dns:axshop.example.com",
                "dns:a.shop.example.com.evil.org",
                "ip:10.1.2.4",
                "uri:spiffe://*",
                "uri:spiffe://example.com/billing%2fEU",
                "uri:spiffe://example.com/Billing%2feu",
                "uri:spiffe://Billing@example.com/*",
                "uri:spiffe://example.org/*",
                "email:a@example.com",
                "dns:b@example.com"
            })
    void shouldNotMatchAnotherPeer(String rule) {
        assertThat(CertificateRule.parse(rule).matches(peer)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "CN=billing", "dns:*"})
    void whenThePeerHasNoCertificateThenNoRuleMatches(String rule) {
        assertThat(CertificateRule.parse(rule).matches(PeerIdentity.ofAddress("10.1.2.3:1")))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "billing", "host:x"})
    void whenARuleIsInvalidThenItIsRejected(String rule) {
        assertThatIllegalArgumentException().isThrownBy(() -> CertificateRule.parse(rule));
    }

    @Test
    void shouldHaveItsTextAsString() {
        assertThat(CertificateRule.parse(" CN=billing ")).hasToString("CN=billing");
    }
}
