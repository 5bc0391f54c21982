package io.rdmarpc.verbs.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.GidType;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The selection of a port's GID")
class PortGidsTest {

    private static final GidEntry V1 = entry(0, "192.168.0.1", GidType.ROCE_V1);
    private static final GidEntry INFINIBAND = entry(1, "fe80::1", GidType.IB);
    private static final GidEntry LINK_LOCAL = entry(2, "fe80::2", GidType.ROCE_V2);
    private static final GidEntry GLOBAL = entry(3, "2001:db8::3", GidType.ROCE_V2);
    private static final GidEntry IPV4 = entry(4, "192.168.0.4", GidType.ROCE_V2);
    private static final GidEntry SECOND_IPV4 = entry(5, "192.168.0.5", GidType.ROCE_V2);

    private static GidEntry entry(int index, String address, GidType type) {
        return new GidEntry(index, Gid.of(address(address)), type, 0);
    }

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static PortGids table(List<GidEntry> entries) {
        return new PortGids("mlx5_0", 1, entries);
    }

    @Test
    @DisplayName("by type: IPv4, global IPv6, link-local, InfiniBand, RoCE v1")
    void shouldChooseByType() {
        List<GidEntry> order = List.of(IPV4, SECOND_IPV4, GLOBAL, LINK_LOCAL, INFINIBAND, V1);
        List<GidEntry> remaining = new ArrayList<>(order.reversed());

        for (GidEntry expected : order) {
            assertThat(table(remaining).choose(PortGids.BY_TYPE)).isEqualTo(expected);
            remaining.remove(expected);
        }
    }

    @Test
    void shouldChooseByIndex() {
        assertThat(table(List.of(V1, IPV4)).choose(0)).isEqualTo(V1);
    }

    @Test
    void whenTheIndexIsUnusedThenChoosingFails() {
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> table(List.of(V1, IPV4)).choose(7))
                .withMessageContaining("rdma.device.gid-index = 7: port 1 of mlx5_0 has no GID at this index")
                .withMessageContaining("192.168.0.4");
    }

    @Test
    void whenTheTableIsEmptyThenChoosingFails() {
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> table(List.of()).choose(PortGids.BY_TYPE))
                .withMessageContaining("port 1 has no GID")
                .withMessageContaining("Assign an IP address to its network interface");
    }

    @Test
    void shouldFindTheGidOfALocalAddress() {
        PortGids table = table(List.of(V1, IPV4, SECOND_IPV4));

        assertThat(table.ofAddress(address("192.168.0.5"))).contains(SECOND_IPV4);
        assertThat(table.ofAddress(address("192.168.0.1"))).isEmpty();
        assertThat(table.ofAddress(null)).isEmpty();
    }
}
