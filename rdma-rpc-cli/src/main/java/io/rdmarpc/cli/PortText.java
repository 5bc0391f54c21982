package io.rdmarpc.cli;

import static io.rdmarpc.cli.InfoLines.hex;

import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.LinkLayer;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.PortAttributes;
import io.rdmarpc.verbs.attributes.PortLink;
import java.util.List;

/**
 * Formats a port like {@code ibv_devinfo}. Unlike {@code ibv_devinfo}, always includes the GIDs, because users need
 * them most.
 *
 * @param number the port's number, from 1
 * @param port its attributes
 * @param gids its GIDs
 * @param verbose whether to print all attributes
 */
record PortText(int number, PortAttributes port, List<GidEntry> gids, boolean verbose) {

    String text() {
        InfoLines lines = new InfoLines(3, 6);
        lines.append("\t\tport:\t" + number + "\n")
                .add("state", "PORT_" + port.state() + " (" + port.state().code() + ")")
                .add("max_mtu", mtu(port.maxMtu()))
                .add("active_mtu", mtu(port.activeMtu()))
                .add("sm_lid", port.subnet().smLid())
                .add("port_lid", port.lid())
                .add("port_lmc", hex(port.subnet().lmc(), 2))
                .add("link_layer", linkLayer(port.linkLayer()));
        if (verbose) {
            addDetails(lines);
        }
        for (GidEntry gid : gids) {
            lines.add("GID[%3d]".formatted(gid.index()), new GidText(gid).text(port.linkLayer()));
        }
        return lines.toString();
    }

    private void addDetails(InfoLines lines) {
        PortAttributes.Subnet subnet = port.subnet();
        PortLink link = port.link();
        lines.add("max_msg_sz", hex(port.maxMessageBytes()))
                .add("port_cap_flags", hex(port.capabilityFlags(), 8))
                .add("port_cap_flags2", hex(port.capabilityFlags2(), 4))
                .add("max_vl_num", virtualLanes(subnet.maxVlCode()) + " (" + subnet.maxVlCode() + ")")
                .add("bad_pkey_cntr", hex(Integer.toUnsignedLong(port.counters().badPkey())))
                .add(
                        "qkey_viol_cntr",
                        hex(Integer.toUnsignedLong(port.counters().qkeyViolations())))
                .add("sm_sl", subnet.smSl())
                .add("pkey_tbl_len", port.pkeyTableLength())
                .add("gid_tbl_len", port.gidTableLength())
                .add("subnet_timeout", subnet.timeout())
                .add("init_type_reply", subnet.initTypeReply())
                .add("active_width", width(link) + " (" + link.widthCode() + ")")
                .add("active_speed", speed(link) + " (" + link.speedCode() + ")")
                .add(
                        "phys_state",
                        physicalState(link.state()) + " (" + link.state().code() + ")");
    }

    private static String mtu(PathMtu mtu) {
        return mtu.bytes() + " (" + mtu.code() + ")";
    }

    static String linkLayer(LinkLayer layer) {
        return switch (layer) {
            case UNSPECIFIED -> "Unspecified";
            case INFINIBAND -> "InfiniBand";
            case ETHERNET -> "Ethernet";
        };
    }

    private static String virtualLanes(int code) {
        int lanes = lanes(code);
        return lanes == 0 ? "invalid value" : String.valueOf(lanes);
    }

    /** Returns the number of virtual lanes of a code, 0 for an invalid one. */
    static int lanes(int code) {
        return switch (code) {
            case 1 -> 1;
            case 2 -> 2;
            case 3 -> 4;
            case 4 -> 8;
            case 5 -> 15;
            default -> 0;
        };
    }

    private static String width(PortLink link) {
        return link.lanes() == 0 ? "invalid widthX" : link.lanes() + "X";
    }

    private static String speed(PortLink link) {
        return link.gigabitsPerLane() == 0 ? "invalid speed" : link.gigabitsPerLane() + " Gbps";
    }

    private static String physicalState(PortLink.PhysicalState state) {
        return switch (state) {
            case NO_CHANGE -> "invalid physical state";
            case TRAINING -> "PORT_CONFIGURATION TRAINNING"; // Spelled as in ibv_devinfo.
            case PHY_TEST -> "PHY TEST";
            default -> state.name();
        };
    }
}
