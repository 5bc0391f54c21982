package io.rdmarpc.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.attributes.LinkLayer;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.PortAttributes;
import io.rdmarpc.verbs.attributes.PortLink;
import io.rdmarpc.verbs.attributes.PortState;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A port is described with the terms of ibv_devinfo:")
class PortTextTest {

    private static String describe(PortLink link) {
        PortAttributes port = new PortAttributes(
                PortState.DOWN,
                PathMtu.MTU_4096,
                PathMtu.MTU_1024,
                1,
                1,
                1 << 20,
                0,
                LinkLayer.ETHERNET,
                0,
                0,
                link,
                PortAttributes.Subnet.NONE,
                PortAttributes.Counters.NONE);
        return new PortText(1, port, List.of(), true).text();
    }

    @ParameterizedTest(name = "{1} ({0})")
    @CsvSource({
        "0, invalid physical state",
        "1, SLEEP",
        "2, POLLING",
        "3, DISABLED",
        "4, PORT_CONFIGURATION TRAINNING",
        "5, LINK_UP",
        "6, LINK_ERROR_RECOVERY",
        "7, PHY TEST"
    })
    void shouldNamePhysicalStates(int code, String words) {
        assertThat(describe(new PortLink(PortLink.PhysicalState.of(code), 1, 8)))
                .contains("phys_state:\t\t" + words + " (" + code + ")\n");
    }

    @ParameterizedTest(name = "{1}")
    @CsvSource({"1, 2.5 Gbps", "4, 10.0 Gbps", "8, 10.0 Gbps", "16, 14.0 Gbps", "128, 100.0 Gbps", "3, invalid speed"})
    void shouldFormatSpeeds(int code, String words) {
        assertThat(describe(new PortLink(PortLink.PhysicalState.LINK_UP, 1, code)))
                .contains("active_speed:\t\t" + words + " (" + code + ")\n");
    }
}
