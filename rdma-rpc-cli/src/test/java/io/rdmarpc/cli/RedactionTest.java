package io.rdmarpc.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A redacted report")
class RedactionTest {

    private final Redaction redaction =
            new Redaction(List.of(new Redaction.Name("host", "gpu17"), new Redaction.Name("user", "root")));

    private String apply(String line) {
        return redaction.apply(line).strip();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GID[  1]:\t\t::ffff:10.1.2.3, RoCE v2 | GID[  1]:\t\t<IPv4 1>, RoCE v2",
                "GID[  0]: fe80::1234:56ff:fe78:9abc, RoCE v2 | GID[  0]: <link-local 1>, RoCE v2",
                "GID[  0]: fe80:0000:0000:0000:0c42:a103:0065:1a2b | GID[  0]: <link-local 1>",
                "node_guid:\t\t0c42:a103:0065:1a2b | node_guid:\t\t<GUID 1>",
                "uses GID 3: 2001:db8::17: RoCE v2 | uses GID 3: <IPv6 1>: RoCE v2",
                "at 192.168.7.9:7471 | at <IPv4 1>:7471",
                "port 10.0.0.1, 10.0.0.2 | port <IPv4 1>, <IPv4 2>",
                "mac 0c:42:a1:65:1a:2b. | mac <MAC 1>.",
                "gpu17: no response of gpu17.example.org | <host>: no response of <host>.example.org"
            })
    void whenALineHasAnAddressThenItsKindIsLeft(String line, String expected) {
        assertThat(apply(line)).isEqualTo(expected);
    }

    @Test
    void whenAnAddressComesAgainThenItHasTheSameLabel() {
        assertThat(redaction.apply("10.0.0.1 fe80::1\n10.0.0.2\n10.0.0.1").lines())
                .containsExactly("<IPv4 1> <link-local 2>", "<IPv4 3>", "<IPv4 1>");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fw_ver:\t\t\t\t20.8.0.1",
                "libibverbs.so.1.14.44.0 librdmacm.so.1.3.44.0",
                "kernel 6.1.0-18-amd64, Java 25.0.3+9",
                "GID[  0]:\t\t::ffff:127.0.0.1, RoCE v2",
                "device_cap_flags:\t\t0x00000001",
                "root",
                "port_lid:\t\t17",
                "state: PORT_ACTIVE (4)"
            })
    void whenALineIsAboutVersionsAndNumbersThenItStays(String line) {
        assertThat(apply(line)).isEqualTo(line.strip());
    }
}
