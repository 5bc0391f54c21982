package io.rdmarpc.cli;

import static io.rdmarpc.cli.InfoLines.hex;

import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.RdmaDevice;
import io.rdmarpc.verbs.attributes.DeviceAttributes;
import java.util.ArrayList;
import java.util.List;

/**
 * Describes a device and all its attributes as JSON, with the names of {@code ibv_devinfo}. Counts are numbers. Masks,
 * GUIDs and sizes of up to 64 bits have the hexadecimal text of {@code ibv_devinfo}.
 *
 * @param provider the name of the provider
 * @param device the device
 * @param context the open device
 */
record DeviceJson(String provider, RdmaDevice device, RdmaContext context) {

    JsonObject json() {
        DeviceAttributes attributes = context.attributes();
        JsonObject json = new JsonObject()
                .put("hca_id", device.name())
                .put("provider", provider)
                .put("transport", DeviceText.transport(device.transport()))
                .put("fw_ver", attributes.firmwareVersion())
                .put("node_guid", DeviceText.guid(attributes.nodeGuid()))
                .put("sys_image_guid", DeviceText.guid(attributes.systemImageGuid()))
                .put("vendor_id", hex(attributes.vendorId(), 4))
                .put("vendor_part_id", attributes.vendorPartId())
                .put("hw_ver", DeviceText.hardwareVersion(attributes))
                .put("phys_port_cnt", attributes.physicalPortCount());
        addMemoryAndQueues(json, attributes);
        addOtherLimits(json, attributes);
        return json.put("ports", ports(attributes.physicalPortCount()));
    }

    private List<JsonObject> ports(int count) {
        List<JsonObject> ports = new ArrayList<>();
        for (int port = 1; port <= count; port++) {
            ports.add(new PortJson(port, context.queryPort(port), context.gidTable(port)).json());
        }
        return ports;
    }

    private static void addMemoryAndQueues(JsonObject json, DeviceAttributes attributes) {
        DeviceAttributes.QueueLimits queues = attributes.queues();
        DeviceAttributes.MemoryLimits memory = attributes.memory();
        json.put("max_mr_size", DeviceText.maxMrSize(memory))
                .put("page_size_cap", hex(memory.pageSizes()))
                .put("max_qp", queues.maxQp())
                .put("max_qp_wr", queues.maxQpWr())
                .put("device_cap_flags", hex(attributes.capabilityFlags(), 8))
                .put("device_caps", attributes.capabilities())
                .put("max_sge", queues.maxSge())
                .put("max_sge_rd", queues.maxSgeRead())
                .put("max_cq", queues.maxCq())
                .put("max_cqe", queues.maxCqe())
                .put("max_mr", memory.maxMr())
                .put("max_pd", memory.maxPd());
    }

    private static void addOtherLimits(JsonObject json, DeviceAttributes attributes) {
        DeviceAttributes.ReadLimits reads = attributes.reads();
        DeviceAttributes.AddressLimits addresses = attributes.addresses();
        DeviceAttributes.ObsoleteLimits obsolete = attributes.obsolete();
        json.put("max_qp_rd_atom", reads.maxQpRdAtom())
                .put("max_ee_rd_atom", obsolete.maxEeRdAtom())
                .put("max_res_rd_atom", reads.maxResRdAtom())
                .put("max_qp_init_rd_atom", reads.maxQpInitRdAtom())
                .put("max_ee_init_rd_atom", obsolete.maxEeInitRdAtom())
                .put("atomic_cap", "ATOMIC_" + attributes.atomicCapability())
                .put("max_ee", obsolete.maxEe())
                .put("max_rdd", obsolete.maxRdd())
                .put("max_mw", attributes.memory().maxMw())
                .put("max_raw_ipv6_qp", obsolete.maxRawIpv6Qp())
                .put("max_raw_ethy_qp", obsolete.maxRawEthernetQp())
                .put("max_mcast_grp", addresses.maxMcastGrp())
                .put("max_mcast_qp_attach", addresses.maxMcastQpAttach())
                .put("max_total_mcast_qp_attach", addresses.maxTotalMcastQpAttach())
                .put("max_ah", addresses.maxAh())
                .put("max_fmr", obsolete.maxFmr())
                .put("max_map_per_fmr", obsolete.maxMapPerFmr())
                .put("max_srq", attributes.queues().maxSrq())
                .put("max_srq_wr", attributes.queues().maxSrqWr())
                .put("max_srq_sge", attributes.queues().maxSrqSge())
                .put("max_pkeys", addresses.maxPkeys())
                .put("local_ca_ack_delay", attributes.localCaAckDelay())
                .put("num_comp_vectors", attributes.completionVectors());
    }
}
