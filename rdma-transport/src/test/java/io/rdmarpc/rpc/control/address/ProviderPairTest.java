package io.rdmarpc.rpc.control.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.verbs.attributes.Gid;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Combinations of providers. */
class ProviderPairTest {

    private static UdEndpoint at(String address, int lid) {
        try {
            return new UdEndpoint(Gid.of(InetAddress.getByName(address)), lid, 77, 0x1234);
        } catch (UnknownHostException e) {
            throw new AssertionError("a literal", e);
        }
    }

    private static String problem(String server, UdEndpoint serverAt, String client, UdEndpoint clientAt) {
        return ProviderPair.problem(server, server + "0", serverAt, client, clientAt);
    }

    @Test
    @DisplayName("two providers of the same kind reach each other")
    void whenBothAreOfAKindThenTheyMatch() {
        assertThat(problem("soft", at("10.1.0.1", 9), "soft", at("10.1.0.2", 10)))
                .isNull();
        assertThat(problem("ibverbs", at("fe80::1", 3), "ibverbs", at("fe80::2", 4)))
                .isNull();
    }

    @Test
    @DisplayName("a device and a software RNIC at UDP port 4791 reach each other, in both roles")
    void whenTheSoftwareRnicHasThePortOfRoceThenTheyMatch() {
        assertThat(problem("soft", at("10.1.0.1", 0), "ibverbs", at("10.1.0.2", 0)))
                .isNull();
        assertThat(problem("ibverbs", at("10.1.0.1", 0), "soft", at("10.1.0.2", 0)))
                .isNull();
    }

    @Test
    @DisplayName("a software RNIC at another port is not reachable by devices, which is rejected with the reason")
    void whenTheSoftwareRnicHasAnotherPortThenItIsRejected() {
        assertThat(problem("ibverbs", at("10.1.0.1", 0), "soft", at("10.1.0.2", 41_000)))
                .startsWith(
                        "the server runs on ibverbs (ibverbs0), the client on soft: devices reach a software RNIC at"
                                + " UDP port 4791 only, and the client has port 41000");
        assertThat(problem("soft", at("10.1.0.2", 41_000), "ibverbs", at("10.1.0.1", 0)))
                .contains("and the server has port 41000");
    }

    @Test
    @DisplayName("a device on InfiniBand, or with an address of the other family, is in another network")
    void whenTheNetworksDifferThenItIsRejected() {
        assertThat(problem("soft", at("10.1.0.1", 0), "ibverbs", at("fe80::2", 7)))
                .contains("different networks");
        assertThat(problem("soft", at("10.1.0.1", 0), "ibverbs", at("fe80::2", 0)))
                .contains("different networks");
    }

    @Test
    @DisplayName("other providers have to be the same")
    void whenNoneIsTheSoftwareRnicThenTheyHaveToBeTheSame() {
        assertThat(problem("ibverbs", at("10.1.0.1", 0), "other", at("10.1.0.2", 0)))
                .isEqualTo(
                        "the server runs on ibverbs (ibverbs0), the client on other: set rdma.provider to the same on"
                                + " both sides");
    }
}
