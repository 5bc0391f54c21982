package io.rdmarpc.autoconfigure.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.autoconfigure.properties.RdmaClientProperties;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TargetAddressTest {

    @ParameterizedTest
    @CsvSource({
        "localhost, localhost, 7471",
        "orders.example.com:1, orders.example.com, 1",
        "10.0.0.1:65535, 10.0.0.1, 65535",
        "[fd00::1]:7471, fd00::1, 7471",
        "[::1], ::1, 7471",
        "' host:12 ', host, 12"
    })
    void shouldParseHostAndPort(String text, String host, int port) {
        InetSocketAddress address = TargetAddress.parse("x", text);
        assertThat(address.getHostString()).isEqualTo(host);
        assertThat(address.getPort()).isEqualTo(port);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", ":7471", "host:", "host:0", "host:65536", "host:123456", "fd00::1", "http://host", "a b"})
    void whenAnAddressIsInvalidThenTheFailureNamesTheProperty(String text) {
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> TargetAddress.parse("orders", text))
                .withMessageContaining("rdma.client.targets.orders.address")
                .withMessageContaining("Write it as");
    }

    @Test
    void shouldSplitAddressesAtCommas() {
        assertThat(TargetAddress.text(TargetAddress.parseAll("t", "a:1, b ,[fd00::1]:3")))
                .isEqualTo("a:1,b:7471,fd00::1:3");
    }

    @Test
    void whenOneOfSeveralAddressesIsEmptyThenItIsRejected() {
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> TargetAddress.parseAll("t", "a:1,"))
                .withMessageContaining("client.targets.t.address")
                .withMessageContaining("a:1,")
                .withMessageContaining("address 2 of 2 is empty");
    }

    private static RdmaClientProperties.Target settings(String address, String... addresses) {
        return new RdmaClientProperties.Target(address, List.of(addresses), null, null);
    }

    @Test
    void shouldTreatAListLikeCommas() {
        assertThat(TargetAddress.configured("t", settings(null, "a:1", "b:2"))).isEqualTo("a:1,b:2");
        assertThat(TargetAddress.text("t", settings(null, "a", "[fd00::1]:2"))).isEqualTo("a:7471,fd00::1:2");
    }

    @Test
    void whenAnAddressAndAListAreSetThenTheyAreRejected() {
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> TargetAddress.configured("t", settings("a:1", "b:2")))
                .withMessageContaining("client.targets.t.addresses");
    }

    @ParameterizedTest
    @ValueSource(strings = {"discovery:orders", "lb://orders", "lb://orders-v2", "hosts:/etc/peers"})
    void whenAnAddressIsOfARegistryThenItIsNotParsed(String text) {
        assertThat(TargetAddress.text("t", settings(text))).isEqualTo(text);
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> TargetAddress.requireNoRegistry("t", text))
                .withMessageContaining("no RdmaTargetResolver of this application supports an address of this kind");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "localhost:7471", "10.0.0.1:1, 10.0.0.2:2", "[fd00::1]:7471"})
    void shouldNotTreatHostsAsRegistryAddresses(String text) {
        TargetAddress.requireNoRegistry("t", text);
        assertThat(TargetAddress.text("t", settings(text))).matches(".*:\\d+");
    }
}
