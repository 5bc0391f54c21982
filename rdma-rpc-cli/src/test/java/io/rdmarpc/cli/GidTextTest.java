package io.rdmarpc.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.GidType;
import io.rdmarpc.verbs.attributes.LinkLayer;
import java.net.InetAddress;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The text of a GID")
class GidTextTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "fe80::8091:4bff:fee7:3c90",
        "2001:db8::1",
        "2001:0:0:1::",
        "1:0:2:3:4:5:6:7",
        "::1",
        "::",
        "fe80:1:2:3:4:5:6:7",
        "1::2:0:0:3"
    })
    @DisplayName("is as short as inet_ntop formats an address")
    void shouldBeShort(String address) {
        GidEntry entry = new GidEntry(0, Gid.of(InetAddress.ofLiteral(address)), GidType.ROCE_V2, 0);

        assertThat(new GidText(entry).text(LinkLayer.ETHERNET)).isEqualTo(address + ", RoCE v2");
    }

    @Test
    void whenItIsIpv4ThenItHasDots() {
        GidEntry entry = new GidEntry(1, Gid.of(InetAddress.ofLiteral("10.1.0.1")), GidType.ROCE_V2, 0);

        assertThat(new GidText(entry).text(LinkLayer.ETHERNET)).isEqualTo("::ffff:10.1.0.1, RoCE v2");
    }

    @Test
    void whenItIsNoIpAddressThenItIsInFull() {
        GidEntry entry = new GidEntry(0, new Gid(0xfe80L << 48, 0x0002_c903_00a1_beefL), GidType.IB, 0);

        assertThat(new GidText(entry).text(LinkLayer.INFINIBAND)).isEqualTo("fe80:0000:0000:0000:0002:c903:00a1:beef");
    }
}
