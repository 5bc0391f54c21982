package io.rdmarpc.verbs.ibverbs;

import static io.rdmarpc.verbs.ibverbs.DeviceFixture.PORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.RdmaDevice;
import io.rdmarpc.verbs.attributes.AtomicCapability;
import io.rdmarpc.verbs.attributes.DeviceAttributes;
import io.rdmarpc.verbs.attributes.DeviceCapability;
import io.rdmarpc.verbs.attributes.NodeType;
import io.rdmarpc.verbs.attributes.PortAttributes;
import io.rdmarpc.verbs.attributes.PortCapability;
import io.rdmarpc.verbs.attributes.PortLink;
import io.rdmarpc.verbs.attributes.TransportType;
import io.rdmarpc.verbs.connect.PortGids;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** Tests some attributes; {@code config/soft-roce-vm/rdma-check} compares each number with ibv_devinfo. */
@Tag("rdma-device")
@EnabledIf("io.rdmarpc.verbs.ibverbs.IbverbsDeviceTest#deviceIsThere")
@Timeout(60)
@DisplayName("The attributes of a device")
class AttributesDeviceTest {

    private static final int DEFAULT_PARTITION = 0xFFFF;

    private final DeviceFixture fixture = new DeviceFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void shouldReportItsIdentityWithoutBeingOpened() throws IOException {
        RdmaDevice device = new IbverbsProvider().devices(Map.of()).getFirst();
        String guid = Files.readString(Path.of("/sys/class/infiniband", device.name(), "node_guid"));

        assertThat(device.nodeType()).isEqualTo(NodeType.CA);
        assertThat(device.transport()).isEqualTo(TransportType.IB);
        assertThat(device.nodeGuid())
                .hasValue(Long.parseUnsignedLong(guid.strip().replace(":", ""), 16))
                .hasValue(fixture.context.attributes().nodeGuid());
    }

    @Test
    void shouldReportItsCapabilities() {
        DeviceAttributes device = fixture.context.attributes();

        assertThat(device.capabilities()).contains(DeviceCapability.SYS_IMAGE_GUID, DeviceCapability.RC_RNR_NAK_GEN);
        assertThat(device.atomicCapability()).isNotEqualTo(AtomicCapability.NONE);
        assertThat(device.completionVectors()).isPositive();
        assertThat(device.memory().pageSizes() & 4096).isEqualTo(4096);
    }

    @Test
    void shouldReportItsLink() {
        PortAttributes port = fixture.context.queryPort(PORT);

        assertThat(port.link().state()).isEqualTo(PortLink.PhysicalState.LINK_UP);
        assertThat(port.link().gigabitsPerSecond()).isPositive();
        assertThat(port.capabilities()).contains(PortCapability.CM_SUP);
    }

    @Test
    void shouldReportItsPartitionKeys() {
        assertThat(fixture.context.queryPartitionKey(PORT, 0)).isEqualTo(DEFAULT_PARTITION);
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> fixture.context.queryPartitionKey(PORT, 70_000))
                .withMessageContaining("Entry 70000 was requested; the table of port 1 has entries 0 to")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void shouldChooseAGid() {
        assertThat(PortGids.of(fixture.context, PORT).choose(PortGids.BY_TYPE)).isEqualTo(fixture.gid);
    }
}
