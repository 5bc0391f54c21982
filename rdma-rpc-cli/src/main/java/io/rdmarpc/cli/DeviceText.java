package io.rdmarpc.cli;

import static io.rdmarpc.cli.InfoLines.hex;

import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.RdmaDevice;
import io.rdmarpc.verbs.attributes.DeviceAttributes;
import io.rdmarpc.verbs.attributes.DeviceCapability;
import io.rdmarpc.verbs.attributes.TransportType;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Locale;

/**
 * Formats a device and its ports like {@code ibv_devinfo}, with the same names, order and number formats.
 *
 * @param device the device
 * @param context the open device
 * @param verbose whether to print all attributes
 */
record DeviceText(RdmaDevice device, RdmaContext context, boolean verbose) {

    String text() {
        DeviceAttributes attributes = context.attributes();
        InfoLines lines = new InfoLines(1, 5);
        lines.append("hca_id:\t" + device.name() + "\n")
                .add(
                        "transport",
                        transport(device.transport()) + " ("
                                + device.transport().code() + ")")
                .add("fw_ver", attributes.firmwareVersion())
                .add("node_guid", guid(attributes.nodeGuid()))
                .add("sys_image_guid", guid(attributes.systemImageGuid()))
                .add("vendor_id", hex(attributes.vendorId(), 4))
                .add("vendor_part_id", attributes.vendorPartId())
                .add("hw_ver", hardwareVersion(attributes))
                .add("phys_port_cnt", attributes.physicalPortCount());
        if (verbose) {
            addMemoryAndQueues(lines, attributes);
            addOtherLimits(lines, attributes);
        }
        for (int port = 1; port <= attributes.physicalPortCount(); port++) {
            lines.append(new PortText(port, context.queryPort(port), context.gidTable(port), verbose).text());
        }
        return lines.toString();
    }

    static String transport(TransportType type) {
        return switch (type) {
            case IB -> "InfiniBand";
            case IWARP -> "iWARP";
            case USNIC -> "usNIC";
            case USNIC_UDP -> "usNIC UDP";
            case UNSPECIFIED -> "unspecified";
            case UNKNOWN -> "invalid transport";
        };
    }

    private static void addMemoryAndQueues(InfoLines lines, DeviceAttributes attributes) {
        DeviceAttributes.QueueLimits queues = attributes.queues();
        DeviceAttributes.MemoryLimits memory = attributes.memory();
        lines.add("max_mr_size", maxMrSize(memory))
                .add("page_size_cap", hex(memory.pageSizes()))
                .add("max_qp", queues.maxQp())
                .add("max_qp_wr", queues.maxQpWr())
                .add("device_cap_flags", hex(attributes.capabilityFlags(), 8));
        for (DeviceCapability capability : attributes.capabilities()) {
            lines.below(capability);
        }
        lines.add("max_sge", queues.maxSge())
                .add("max_sge_rd", queues.maxSgeRead())
                .add("max_cq", queues.maxCq())
                .add("max_cqe", queues.maxCqe())
                .add("max_mr", memory.maxMr())
                .add("max_pd", memory.maxPd());
    }

    private static void addOtherLimits(InfoLines lines, DeviceAttributes attributes) {
        DeviceAttributes.ReadLimits reads = attributes.reads();
        DeviceAttributes.AddressLimits addresses = attributes.addresses();
        DeviceAttributes.ObsoleteLimits obsolete = attributes.obsolete();
        lines.add("max_qp_rd_atom", reads.maxQpRdAtom())
                .add("max_ee_rd_atom", obsolete.maxEeRdAtom())
                .add("max_res_rd_atom", reads.maxResRdAtom())
                .add("max_qp_init_rd_atom", reads.maxQpInitRdAtom())
                .add("max_ee_init_rd_atom", obsolete.maxEeInitRdAtom())
                .add(
                        "atomic_cap",
                        "ATOMIC_" + attributes.atomicCapability() + " ("
                                + attributes.atomicCapability().code() + ")")
                .add("max_ee", obsolete.maxEe())
                .add("max_rdd", obsolete.maxRdd())
                .add("max_mw", attributes.memory().maxMw())
                .add("max_raw_ipv6_qp", obsolete.maxRawIpv6Qp())
                .add("max_raw_ethy_qp", obsolete.maxRawEthernetQp())
                .add("max_mcast_grp", addresses.maxMcastGrp())
                .add("max_mcast_qp_attach", addresses.maxMcastQpAttach())
                .add("max_total_mcast_qp_attach", addresses.maxTotalMcastQpAttach())
                .add("max_ah", addresses.maxAh())
                .add("max_fmr", obsolete.maxFmr());
        if (obsolete.maxFmr() != 0) {
            lines.add("max_map_per_fmr", obsolete.maxMapPerFmr());
        }
        lines.add("max_srq", attributes.queues().maxSrq());
        if (attributes.queues().maxSrq() != 0) {
            lines.add("max_srq_wr", attributes.queues().maxSrqWr())
                    .add("max_srq_sge", attributes.queues().maxSrqSge());
        }
        lines.add("max_pkeys", addresses.maxPkeys())
                .add("local_ca_ack_delay", attributes.localCaAckDelay())
                .add("num_comp_vectors", attributes.completionVectors());
    }

    static String maxMrSize(DeviceAttributes.MemoryLimits memory) {
        long bytes = memory.maxMrSizeBytes();
        return hex(bytes == Long.MAX_VALUE ? -1 : bytes);
    }

    static String hardwareVersion(DeviceAttributes attributes) {
        return "0x" + Integer.toHexString(attributes.hardwareVersion()).toUpperCase(Locale.ROOT);
    }

    static String guid(long guid) {
        return HexFormat.ofDelimiter(":")
                .formatHex(ByteBuffer.allocate(Long.BYTES).putLong(guid).array())
                .replaceAll("(..):(..)", "$1$2");
    }
}
