package io.rdmarpc.cli;

import static io.rdmarpc.cli.InfoLines.hex;

import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.PortAttributes;
import java.util.List;

/**
 * Describes a port and all its attributes as JSON, with the names of {@code ibv_devinfo}. MTUs are in bytes, the width
 * is a number of lanes, and the speed is in Gbit/s of a lane.
 *
 * @param number the port's number, from 1
 * @param port its attributes
 * @param gids its GIDs
 */
record PortJson(int number, PortAttributes port, List<GidEntry> gids) {

    JsonObject json() {
        PortAttributes.Subnet subnet = port.subnet();
        return new JsonObject()
                .put("port", number)
                .put("state", "PORT_" + port.state())
                .put("max_mtu", port.maxMtu().bytes())
                .put("active_mtu", port.activeMtu().bytes())
                .put("sm_lid", subnet.smLid())
                .put("port_lid", port.lid())
                .put("port_lmc", hex(subnet.lmc(), 2))
                .put("link_layer", PortText.linkLayer(port.linkLayer()))
                .put("max_msg_sz", port.maxMessageBytes())
                .put("port_cap_flags", hex(port.capabilityFlags(), 8))
                .put("port_cap_flags2", hex(port.capabilityFlags2(), 4))
                .put("max_vl_num", PortText.lanes(subnet.maxVlCode()))
                .put("bad_pkey_cntr", Integer.toUnsignedLong(port.counters().badPkey()))
                .put("qkey_viol_cntr", Integer.toUnsignedLong(port.counters().qkeyViolations()))
                .put("sm_sl", subnet.smSl())
                .put("pkey_tbl_len", port.pkeyTableLength())
                .put("gid_tbl_len", port.gidTableLength())
                .put("subnet_timeout", subnet.timeout())
                .put("init_type_reply", subnet.initTypeReply())
                .put("active_width", port.link().lanes())
                .put("active_speed", port.link().gigabitsPerLane())
                .put("phys_state", port.link().state().name())
                .put("gids", gids.stream().map(this::gid).toList());
    }

    private JsonObject gid(GidEntry entry) {
        GidText text = new GidText(entry);
        return new JsonObject()
                .put("index", entry.index())
                .put("gid", text.address())
                .put("type", text.type());
    }
}
