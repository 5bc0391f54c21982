package io.rdmarpc.verbs.attributes;

import java.util.EnumSet;
import java.util.Set;

/** The optional capabilities of a device ({@code enum ibv_device_cap_flags}). */
public enum DeviceCapability {
    /** A queue pair's sizes can be changed. */
    RESIZE_MAX_WR(1),
    /** Packets with a wrong partition key are counted. */
    BAD_PKEY_CNTR(1 << 1),
    /** Packets with a wrong QKEY are counted. */
    BAD_QKEY_CNTR(1 << 2),
    /** Raw packets can be multicast. */
    RAW_MULTI(1 << 3),
    /** The device moves a connection to its alternate path automatically. */
    AUTO_PATH_MIG(1 << 4),
    /** A queue pair's port can be changed. */
    CHANGE_PHY_PORT(1 << 5),
    /** The port of an address handle must be the port of the queue pair. */
    UD_AV_PORT_ENFORCE(1 << 6),
    /** A modification can specify the state from which it starts. */
    CURR_QP_STATE_MOD(1 << 7),
    /** A port can be shut down. */
    SHUTDOWN_PORT(1 << 8),
    /** Ports report how they were initialized. */
    INIT_TYPE(1 << 9),
    /** The device delivers an event when a port becomes active. */
    PORT_ACTIVE_EVENT(1 << 10),
    /** The device has a system image GUID. */
    SYS_IMAGE_GUID(1 << 11),
    /** A responder without a posted receive sends an RNR NAK. */
    RC_RNR_NAK_GEN(1 << 12),
    /** A shared receive queue's size can be changed. */
    SRQ_RESIZE(1 << 13),
    /** The device can deliver an event after a requested number of completions. */
    N_NOTIFY_CQ(1 << 14),
    /** The device has memory windows of type 1. */
    MEM_WINDOW(1 << 17),
    /** The device checks IP checksums of datagrams. */
    UD_IP_CSUM(1 << 18),
    /** The device has extended reliable connections (XRC): one connection can serve all processes of a host. */
    XRC(1 << 20),
    /** Memory can be registered and invalidated by work requests. */
    MEM_MGT_EXTENSIONS(1 << 21),
    /** The device has memory windows of type 2A: bound to a queue pair. */
    MEM_WINDOW_TYPE_2A(1 << 23),
    /** The device has memory windows of type 2B: bound to a queue pair and a protection domain. */
    MEM_WINDOW_TYPE_2B(1 << 24),
    /** The device checks IP checksums of connections. */
    RC_IP_CSUM(1 << 25),
    /** The device checks IP checksums of raw packets. */
    RAW_IP_CSUM(1 << 26),
    /** Rules can steer packets to queue pairs. */
    MANAGED_FLOW_STEERING(1 << 29);

    private final int bit;

    DeviceCapability(int bit) {
        this.bit = bit;
    }

    /**
     * Returns the C value.
     *
     * @return the {@code IBV_DEVICE_*} bit
     */
    public int bit() {
        return bit;
    }

    /**
     * Returns the constants of a bit set.
     *
     * @param bits bits as in C
     * @return the capabilities whose bit is set; bits without a constant are ignored
     */
    public static Set<DeviceCapability> of(int bits) {
        EnumSet<DeviceCapability> set = EnumSet.noneOf(DeviceCapability.class);
        for (DeviceCapability value : values()) {
            if ((bits & value.bit) != 0) {
                set.add(value);
            }
        }
        return set;
    }
}
