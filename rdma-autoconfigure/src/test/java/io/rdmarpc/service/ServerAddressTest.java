package io.rdmarpc.service;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerAddressTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "orders.example.com:7471 | orders.example.com | 7471",
                "10.0.0.1:65535          | 10.0.0.1           | 65535",
                "[fd00::1]:7471          | fd00::1            | 7471",
                "fd00::1:7471            | fd00::1            | 7471",
                "orders.example.com      | orders.example.com | 0",
                "[fd00::1]               | fd00::1            | 0",
                "lb://orders             | lb://orders        | 0",
                "discovery:orders        | discovery:orders   | 0",
                "10.0.0.1:1,10.0.0.2:2   | 10.0.0.1:1,10.0.0.2:2 | 0",
                "orders:65536            | orders:65536       | 0",
                "orders:123456           | orders:123456      | 0",
                "orders:                 | orders:            | 0"
            })
    void shouldSplitASingleHostAndPortOnly(String configured, String address, int port) {
        assertThat(ServerAddress.of(configured)).isEqualTo(new ServerAddress(address, port));
    }
}
