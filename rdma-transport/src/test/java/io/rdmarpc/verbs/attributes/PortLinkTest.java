package io.rdmarpc.verbs.attributes;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The codes of a link")
class PortLinkTest {

    @ParameterizedTest(name = "width {0} and speed {1}: {2} Gbit/s")
    @CsvSource({"1,1,2.5", "2,1,10", "2,32,100", "2,64,200", "4,64,400", "16,16,28", "8,4,120", "2,128,400", "2,2,20"})
    void shouldReturnTheSpeedOfTheLink(int width, int speed, double expected) {
        PortLink link = new PortLink(PortLink.PhysicalState.LINK_UP, width, speed);

        assertThat(link.gigabitsPerSecond()).isEqualTo(expected);
    }

    @Test
    void whenCodesAreUnknownThenTheSpeedIsZero() {
        PortLink link = new PortLink(PortLink.PhysicalState.of(99), 64, 3);

        assertThat(link.state()).isEqualTo(PortLink.PhysicalState.NO_CHANGE);
        assertThat(link.lanes()).isZero();
        assertThat(link.gigabitsPerSecond()).isZero();
    }

    @Test
    void shouldReturnCapabilitiesOfTheirBits() {
        assertThat(DeviceCapability.of(0x01223c76))
                .containsExactly(
                        DeviceCapability.BAD_PKEY_CNTR,
                        DeviceCapability.BAD_QKEY_CNTR,
                        DeviceCapability.AUTO_PATH_MIG,
                        DeviceCapability.CHANGE_PHY_PORT,
                        DeviceCapability.UD_AV_PORT_ENFORCE,
                        DeviceCapability.PORT_ACTIVE_EVENT,
                        DeviceCapability.SYS_IMAGE_GUID,
                        DeviceCapability.RC_RNR_NAK_GEN,
                        DeviceCapability.SRQ_RESIZE,
                        DeviceCapability.MEM_WINDOW,
                        DeviceCapability.MEM_MGT_EXTENSIONS,
                        DeviceCapability.MEM_WINDOW_TYPE_2B);
        assertThat(PortCapability.of(1 << 26 | 1 << 16))
                .containsExactly(PortCapability.CM_SUP, PortCapability.IP_BASED_GIDS);
    }
}
