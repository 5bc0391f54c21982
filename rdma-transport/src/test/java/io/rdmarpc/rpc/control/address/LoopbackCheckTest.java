package io.rdmarpc.rpc.control.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.attributes.Gid;
import java.net.InetAddress;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A loopback address")
class LoopbackCheckTest {

    private static final InetAddress NEIGHBOUR = InetAddress.ofLiteral("10.1.0.9");
    private static final InetAddress OWN = InetAddress.ofLiteral("10.1.0.1");

    private final LoopbackCheck check = new LoopbackCheck(OWN::equals);

    private static Gid gid(String address) {
        return Gid.of(InetAddress.ofLiteral(address));
    }

    @Test
    @DisplayName("of a server is rejected for a client on another host, with the setting to change")
    void whenTheServerIsUnreachableFromAnotherHostThenItIsRejected() {
        assertThat(check.problem(gid("127.0.0.1"), gid("10.1.0.9"), NEIGHBOUR))
                .contains("the server receives packets at", "127.0.0.1", "the client is at 10.1.0.9, another host")
                .contains("set rdma.soft.addresses at the server");
    }

    @Test
    @DisplayName("of a client on another host is rejected")
    void whenTheClientIsUnreachableThenItIsRejected() {
        assertThat(check.problem(gid("10.1.0.1"), gid("127.0.0.1"), NEIGHBOUR))
                .contains("the client receives packets at", "set rdma.soft.addresses at the client");
    }

    @Test
    @DisplayName("of both is rejected between hosts, because each would send to itself")
    void whenBothAreUnreachableThenItIsRejected() {
        assertThat(check.problem(gid("::1"), gid("::1"), NEIGHBOUR)).contains("another host");
    }

    @Test
    @DisplayName("is accepted for a client on this host")
    void whenTheClientIsOnThisHostThenItIsReached() {
        assertThat(check.problem(gid("127.0.0.1"), gid("10.1.0.1"), OWN)).isNull();
    }

    @Test
    @DisplayName("is not in use by two hosts with network addresses")
    void whenBothHaveAddressesOfTheNetworkThenTheyReachEachOther() {
        assertThat(check.problem(gid("10.1.0.1"), gid("10.1.0.9"), NEIGHBOUR)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.3.4.5", "::1"})
    @DisplayName("reaches a client that connects over it")
    void whenTheClientConnectsOverLoopbackThenItIsOnThisHost(String address) {
        assertThat(new LoopbackCheck().problem(gid("127.0.0.1"), gid("127.0.0.1"), InetAddress.ofLiteral(address)))
                .isNull();
    }

    @Test
    @DisplayName("does not reach an address for documentation, which no host has (RFC 5737)")
    void whenTheClientsAddressIsNotOneOfThisHostThenItIsAnother() {
        assertThat(new LoopbackCheck().problem(gid("127.0.0.1"), gid("192.0.2.7"), InetAddress.ofLiteral("192.0.2.7")))
                .isNotNull();
    }
}
