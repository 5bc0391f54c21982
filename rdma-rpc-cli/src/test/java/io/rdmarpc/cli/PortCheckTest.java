package io.rdmarpc.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.cli.Finding.Level;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.GidType;
import io.rdmarpc.verbs.attributes.LinkLayer;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.PortAttributes;
import io.rdmarpc.verbs.attributes.PortLink;
import io.rdmarpc.verbs.attributes.PortState;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The doctor's check of a port")
class PortCheckTest {

    private static final GidEntry IPV4 = entry("10.1.0.1", GidType.ROCE_V2);
    private static final GidEntry IPV6 = entry("fe80::1", GidType.ROCE_V2);
    private static final GidEntry V1 = entry("10.1.0.1", GidType.ROCE_V1);

    @TempDir
    private Path root;

    private FakeHost host;

    private static GidEntry entry(String address, GidType type) {
        return new GidEntry(0, Gid.of(InetAddress.ofLiteral(address)), type, 0);
    }

    @BeforeEach
    void makeHost() {
        host = new FakeHost(root);
        host.file("sys/class/infiniband/rxe0/ports/1/gid_attrs/ndevs/0", "v0\n").file("sys/class/net/v0/mtu", "4200\n");
    }

    private static PortAttributes port(PortState state, PathMtu active, LinkLayer layer) {
        return new PortAttributes(
                state,
                PathMtu.MTU_4096,
                active,
                16,
                1,
                1 << 20,
                0,
                layer,
                0,
                0,
                new PortLink(PortLink.PhysicalState.POLLING, 1, 8),
                PortAttributes.Subnet.NONE,
                PortAttributes.Counters.NONE);
    }

    private List<Finding> check(PortAttributes port, GidEntry... gids) {
        return new PortCheck(host.files(), "rxe0", 1, port, List.of(gids)).run();
    }

    private Finding finding(String subject, PortAttributes port, GidEntry... gids) {
        return check(port, gids).stream()
                .filter(finding -> finding.subject().equals(subject))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void whenThePortIsUsableThenAllIsOk() {
        PortAttributes port = port(PortState.ACTIVE, PathMtu.MTU_4096, LinkLayer.ETHERNET);

        assertThat(check(port, IPV4)).extracting(Finding::level).containsOnly(Level.OK);
        assertThat(finding("GID", port, IPV4).text()).contains("uses GID 0: ::ffff:10.1.0.1, RoCE v2");
    }

    @Test
    void whenAnEthernetLinkIsDownThenItFails() {
        Finding finding = finding("port", port(PortState.DOWN, PathMtu.MTU_4096, LinkLayer.ETHERNET), IPV4);

        assertThat(finding.level()).isEqualTo(Level.FAIL);
        assertThat(finding.text()).isEqualTo("rxe0 port 1 is DOWN, link POLLING");
        assertThat(finding.remedy()).contains("ip link set");
    }

    @Test
    void whenAnInfinibandPortHasNoSubnetManagerThenItFails() {
        Finding finding = finding("port", port(PortState.INIT, PathMtu.MTU_4096, LinkLayer.INFINIBAND), IPV4);

        assertThat(finding.level()).isEqualTo(Level.FAIL);
        assertThat(finding.remedy()).contains("opensm");
    }

    @Test
    void whenThereIsNoGidThenItFails() {
        Finding finding = finding("GID", port(PortState.ACTIVE, PathMtu.MTU_4096, LinkLayer.ETHERNET));

        assertThat(finding.level()).isEqualTo(Level.FAIL);
        assertThat(finding.remedy()).contains("ip addr add");
    }

    @Test
    void whenNoGidHasAnIpv4AddressThenItWarns() {
        Finding finding = finding("GID", port(PortState.ACTIVE, PathMtu.MTU_4096, LinkLayer.ETHERNET), IPV6);

        assertThat(finding.level()).isEqualTo(Level.WARN);
        assertThat(finding.text()).contains("fe80::1, RoCE v2; the port has no RoCE v2 GID with an IPv4 address");
        assertThat(finding.remedy()).startsWith("ip addr add <IPv4 address>");
    }

    @Test
    void whenThereIsOnlyRoceV1ThenItWarns() {
        Finding finding = finding("GID", port(PortState.ACTIVE, PathMtu.MTU_4096, LinkLayer.ETHERNET), V1);

        assertThat(finding.level()).isEqualTo(Level.WARN);
        assertThat(finding.remedy()).contains("cma_roce_mode -d rxe0 -p 1 -m 2");
    }

    @Test
    void whenTheInterfaceAllowsOnlySmallPacketsThenItWarns() {
        host.file("sys/class/net/v0/mtu", "1500\n");
        Finding finding = finding("MTU", port(PortState.ACTIVE, PathMtu.MTU_1024, LinkLayer.ETHERNET), IPV4);

        assertThat(finding.level()).isEqualTo(Level.WARN);
        assertThat(finding.text()).isEqualTo("path MTU 1024, v0 has an MTU of 1500 bytes; the port supports 4096");
        assertThat(finding.remedy()).contains("ip link set v0 mtu 4200");
    }

    @Test
    void whenThePathMtuDoesNotFitTheInterfaceThenItFails() {
        host.file("sys/class/net/v0/mtu", "1500\n");
        Finding finding = finding("MTU", port(PortState.ACTIVE, PathMtu.MTU_4096, LinkLayer.ETHERNET), IPV4);

        assertThat(finding.level()).isEqualTo(Level.FAIL);
        assertThat(finding.text()).contains("too small for payload and headers");
    }
}
