package io.rdmarpc.cli;

import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.GidType;
import io.rdmarpc.verbs.attributes.LinkLayer;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.PortAttributes;
import io.rdmarpc.verbs.connect.PortGids;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Checks a port: its state, its GIDs, and whether its path MTU fits the network interface.
 *
 * @param host the host
 * @param device the device's name
 * @param number the port's number, from 1
 * @param port its attributes
 * @param gids its GIDs
 */
record PortCheck(HostFiles host, String device, int number, PortAttributes port, List<GidEntry> gids) {

    /**
     * Size of the IP and UDP headers, the longest combination of transport headers, and the ICRC. The rxe driver
     * reserves the same number of bytes.
     */
    private static final int ROCE_HEADER_BYTES = 80;

    private static final int JUMBO_BYTES = 4200;

    List<Finding> run() {
        List<Finding> findings = new ArrayList<>();
        findings.add(state());
        findings.add(gid());
        if (port.linkLayer() == LinkLayer.ETHERNET && !gids.isEmpty()) {
            findings.addAll(mtu());
        }
        return findings;
    }

    private String name() {
        return device + " port " + number;
    }

    private Finding state() {
        String subject = "port";
        String text = name() + " is " + port.state() + ", link " + port.link().state();
        return port.isActive()
                ? Finding.ok(subject, text)
                : Finding.fail(
                        subject,
                        text,
                        port.linkLayer() == LinkLayer.ETHERNET
                                ? "ip link set <its network interface> up; check the cable and the switch"
                                : "check the cable, and that a subnet manager (opensm) runs");
    }

    private Finding gid() {
        String subject = "GID";
        if (gids.isEmpty()) {
            return Finding.fail(
                    subject, name() + " has no GID", "ip addr add <address>/<prefix> dev <its network interface>");
        }
        GidEntry best = new PortGids(device, number, gids).choose(PortGids.BY_TYPE);
        String text = name() + " uses GID " + best.index() + ": " + new GidText(best).text(port.linkLayer());
        boolean routable = best.type() == GidType.ROCE_V2 && best.gid().isIpv4Mapped();
        return routable || port.linkLayer() != LinkLayer.ETHERNET
                ? Finding.ok(subject, text)
                : Finding.warn(
                        subject,
                        text + "; the port has no RoCE v2 GID with an IPv4 address",
                        best.type() == GidType.ROCE_V2
                                ? "ip addr add <IPv4 address>/<prefix> dev <its network interface>"
                                : "enable RoCE v2: cma_roce_mode -d " + device + " -p " + number + " -m 2");
    }

    private List<Finding> mtu() {
        String netdev = host
                .lines("sys/class/infiniband/" + device + "/ports/" + number + "/gid_attrs/ndevs/"
                        + gids.getFirst().index())
                .stream()
                .findFirst()
                .orElse("");
        OptionalLong bytes = netdev.isEmpty() ? OptionalLong.empty() : host.number("sys/class/net/" + netdev + "/mtu");
        return bytes.isEmpty() ? List.of() : List.of(mtu(netdev, bytes.getAsLong()));
    }

    private Finding mtu(String netdev, long netdevBytes) {
        String subject = "MTU";
        PathMtu active = port.activeMtu();
        String text = "path MTU " + active.bytes() + ", " + netdev + " has an MTU of " + netdevBytes + " bytes";
        if (active.bytes() + ROCE_HEADER_BYTES > netdevBytes) {
            return Finding.fail(
                    subject,
                    text + ", which is too small for payload and headers",
                    "ip link set " + netdev + " mtu " + JUMBO_BYTES + ", or set a smaller rdma.device.mtu");
        }
        return active.bytes() < port.maxMtu().bytes()
                ? Finding.warn(
                        subject,
                        text + "; the port supports " + port.maxMtu().bytes(),
                        "ip link set " + netdev + " mtu " + JUMBO_BYTES
                                + " on all hosts, and configure the switches for it")
                : Finding.ok(subject, text);
    }
}
