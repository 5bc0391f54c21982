package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.RdmaDevice;
import io.rdmarpc.verbs.VerbsProvider;
import io.rdmarpc.verbs.attributes.AtomicCapability;
import io.rdmarpc.verbs.attributes.DeviceCapability;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.GidType;
import io.rdmarpc.verbs.attributes.LinkLayer;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.PortAttributes;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.soft.link.UdpLink;
import io.rdmarpc.verbs.soft.link.fault.FaultScript;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.soft.port.LocalGidTable;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SoftProviderTest {

    private static final String LOOPBACK = "127.0.0.1";

    private static RdmaContext open(Map<String, String> options) {
        return new SoftProvider().devices(options).getFirst().open();
    }

    @Test
    void shouldBeFoundAfterRealDevices() {
        VerbsProvider soft = ServiceLoader.load(VerbsProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.name().equals("soft"))
                .findFirst()
                .orElseThrow();
        assertThat(soft).isInstanceOf(SoftProvider.class);
        assertThat(soft.order()).isGreaterThan(10);
        assertThat(soft.devices(Map.of("ibverbs.other", "x")))
                .extracting(RdmaDevice::name)
                .containsExactly("soft0");
    }

    @Test
    void shouldReportItsLimits() {
        try (RdmaContext context = open(Map.of("soft.addresses", LOOPBACK, "soft.port", "0"))) {
            assertThat(context.deviceName()).isEqualTo("soft0");
            assertThat(context.attributes().physicalPortCount()).isEqualTo(1);
            assertThat(context.attributes().atomicCapability()).isEqualTo(AtomicCapability.GLOB);
            assertThat(context.attributes().capabilities()).containsExactly(DeviceCapability.RC_RNR_NAK_GEN);
            assertThat(context.attributes().queues().maxSrqWr())
                    .isEqualTo(context.attributes().queues().maxQpWr());
            PortAttributes port = context.queryPort(1);
            assertThat(port.isActive()).isTrue();
            assertThat(port.activeMtu()).isEqualTo(PathMtu.MTU_4096);
            assertThat(port.linkLayer()).isEqualTo(LinkLayer.ETHERNET);
            assertThat(port.lid()).isBetween(1, 0xFFFF);
            assertThat(port.maxMessageBytes()).isEqualTo(1L << 30);
            assertThatExceptionOfType(RdmaVerbsException.class)
                    .isThrownBy(() -> context.queryPort(2))
                    .withMessageContaining("Port 2");
        }
    }

    @Test
    void shouldListConfiguredAddressesInTheirOrder() {
        try (RdmaContext context = open(Map.of("soft.addresses", "127.0.0.2, 127.0.0.1", "soft.port", "0"))) {
            List<GidEntry> gids = context.gidTable(1);
            assertThat(gids).extracting(GidEntry::index).containsExactly(0, 1);
            assertThat(gids).extracting(GidEntry::type).containsOnly(GidType.ROCE_V2);
            assertThat(gids.get(0).gid()).isEqualTo(Gid.of(Inet4Address.ofLiteral("127.0.0.2")));
            assertThat(gids.get(1).gid().isIpv4Mapped()).isTrue();
            assertThat(gids.get(1).interfaceIndex()).isPositive();
        }
    }

    @Test
    void shouldListIpv6AddressesToo() {
        try (RdmaContext context = open(Map.of("soft.addresses", "127.0.0.1, ::1", "soft.port", "0"))) {
            assertThat(context.gidTable(1))
                    .extracting(GidEntry::gid)
                    .containsExactly(Gid.of(InetAddress.ofLiteral("127.0.0.1")), Gid.of(InetAddress.ofLiteral("::1")));
        }
    }

    @Test
    void whenNoAddressIsConfiguredThenUsesAllWithIpv4FirstAndLoopbackLastOfEach() throws SocketException {
        LocalGidTable table = LocalGidTable.of(List.of());
        List<InetAddress> ipv4 = table.addresses().stream()
                .filter(Inet4Address.class::isInstance)
                .toList();
        assertThat(table.addresses()).startsWith(ipv4.toArray(InetAddress[]::new));
        assertThat(ipv4.getLast().isLoopbackAddress()).isTrue();
        assertThat(table.addresses().getLast().isLoopbackAddress()).isTrue();
        for (int i = 0; i < table.size(); i++) {
            NetworkInterface netdev =
                    NetworkInterface.getByInetAddress(table.addresses().get(i));
            assertThat(netdev.isUp()).isTrue();
            assertThat(table.get(i).mtu().bytes()).isLessThanOrEqualTo(netdev.getMTU() - 80);
        }
    }

    @Test
    void whenDefaultPortIsInUseThenUsesAnother() {
        try (RdmaContext first = open(Map.of("soft.addresses", LOOPBACK));
                RdmaContext second = open(Map.of("soft.addresses", LOOPBACK))) {
            assertThat(second.queryPort(1).lid())
                    .isNotZero()
                    .isNotEqualTo(first.queryPort(1).lid());
        }
    }

    @Test
    void whenConfiguredPortIsInUseThenNamesTheSetting() throws IOException {
        try (UdpLink taken = UdpLink.open(List.of(TestNode.LOOPBACK), 0)) {
            Map<String, String> options =
                    Map.of("soft.addresses", LOOPBACK, "soft.port", Integer.toString(taken.port()));
            assertThatExceptionOfType(RdmaConfigurationException.class)
                    .isThrownBy(() -> open(options))
                    .withMessageContaining("rdma.soft.port = " + taken.port())
                    .withMessageContaining("or 0 for any");
        }
    }

    @Test
    void whenAddressIsNotOfThisHostThenNamesTheSetting() {
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> open(Map.of("soft.addresses", "203.0.113.7", "soft.port", "0")))
                .withMessageContaining("rdma.soft.addresses")
                .withMessageContaining("203.0.113.7");
    }

    @ParameterizedTest
    @CsvSource({
        "soft.port, 65536",
        "soft.port, -1",
        "soft.port, many",
        "soft.addresses, localhost",
        "soft.addresses, 127.0.0.300",
        "soft.addresses, ::1::",
        "soft.addresses, '127.0.0.1,'",
        "soft.addresses, ''",
        "soft.faults.loss, 1.01",
        "soft.faults.loss, NaN",
        "soft.faults.duplicate, -0.1",
        "soft.faults.reorder, often",
        "soft.faults.delay, 2",
        "soft.faults.corrupt, x",
        "soft.faults.delay-duration, 500",
        "soft.faults.delay-duration, -5us",
        "soft.faults.delay-duration, 61s",
        "soft.faults.seed, 1.5",
        "soft.progress, sometimes",
        "soft.spin-micros, -1",
        "soft.prot, 4791"
    })
    void whenValueIsInvalidThenNamesTheSetting(String key, String value) {
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> new SoftProvider().devices(Map.of(key, value)))
                .withMessageContaining("rdma." + key)
                .satisfies(e -> assertThat(e.remedy()).isNotEmpty());
    }

    @Test
    void shouldReadAllOptions() {
        SoftRnicOptions options = SoftRnicOptions.parse(Map.of(
                "soft.addresses", "127.0.0.1,127.0.0.2",
                "soft.port", "5000",
                "soft.faults.loss", "0.1",
                "soft.faults.duplicate", "0.2",
                "soft.faults.reorder", "0.3",
                "soft.faults.delay", "0.4",
                "soft.faults.corrupt", "0.5",
                "soft.faults.delay-duration", "77us",
                "soft.faults.seed", "99",
                "soft.faults.script", "drop 3 ACK"));
        assertThat(options.addresses()).hasSize(2);
        assertThat(options.port()).isEqualTo(5000);
        assertThat(options.portChosen()).isTrue();
        assertThat(options.faults())
                .isEqualTo(new LinkFaults(0.1, 0.2, 0.3, 0.4, 0.5, 77_000, 99)
                        .withScript(FaultScript.parse("", "drop 3 ACK")));
    }

    @ParameterizedTest
    @CsvSource({"8000bit,1000", "500kbit,62500", "100Mbit,12500000", "10 gbit/s,", "1Gbit/s,125000000", "'',0"})
    void shouldReadTheBandwidthInBitsAndUseBytes(String text, Long bytesPerSecond) {
        Map<String, String> map = Map.of("soft.faults.bandwidth", text);
        if (bytesPerSecond == null) {
            assertThatThrownBy(() -> SoftRnicOptions.parse(map)).hasMessageContaining("such as 500kbit, 100Mbit");
        } else {
            assertThat(SoftRnicOptions.parse(map).faults().bytesPerSecond()).isEqualTo(bytesPerSecond);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"fast", "0Mbit", "7999bit", "-1Mbit", "100MB"})
    void whenBandwidthIsInvalidThenExplainsTheFormat(String text) {
        assertThatThrownBy(() -> SoftRnicOptions.parse(Map.of("soft.faults.bandwidth", text)))
                .isInstanceOf(RdmaConfigurationException.class)
                .hasMessageContaining("rdma.soft.faults.bandwidth = " + text)
                .hasMessageContaining("such as 500kbit, 100Mbit or 10Gbit");
    }

    @Test
    void whenScriptIsInvalidThenReportsThePosition() {
        assertThatThrownBy(() -> SoftRnicOptions.parse(Map.of("soft.faults.script", "drop 3 ACKS")))
                .isInstanceOf(RdmaConfigurationException.class)
                .hasMessageContaining("rdma.soft.faults.script = drop 3 ACKS: at character 8 \"ACKS\" is not a kind");
    }

    @Test
    void shouldHaveDefaults() {
        SoftRnicOptions options = SoftRnicOptions.parse(Map.of());
        assertThat(options.addresses()).isEmpty();
        assertThat(options.port()).isEqualTo(4791);
        assertThat(options.portChosen()).isFalse();
        assertThat(options.progress()).isEqualTo(ProgressMode.THREAD);
        assertThat(options.spinNanos()).isEqualTo(20_000);
        assertThat(options.faults().isNone()).isTrue();
    }

    @Test
    void whenClosedThenPollsFindNothing() {
        TestNode node = new TestNode(new MemoryNetwork().link(TestNode.LOOPBACK_IP, 5001), new FakeClock());
        node.context.close();
        node.context.close();
        assertThat(node.next()).isNull();
        node.arena.close();
    }
}
