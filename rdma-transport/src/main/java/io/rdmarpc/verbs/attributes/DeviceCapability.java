package io.rdmarpc.verbs.attributes;

import java.util.EnumSet;
import java.util.Set;

/** What a device can do besides the basics ({@code enum ibv_device_cap_flags}). */
public enum DeviceCapability {
    /** A queue pair's sizes can be changed. */
    RESIZE_MAX_WR(1),
    /** Packets with a wrong partition key are counted. */
    BAD_PKEY_CNTR(1 << 1),
    /** Packets with a wrong QKEY are counted. */
    BAD_QKEY_CNTR(1 << 2),
    /** Raw packets can be multicast. */
    RAW_MULTI(1 << 3),
    /** A connection moves to another path by itself. */
    AUTO_PATH_MIG(1 << 4),
    /** A queue pair's port can be changed. */
    CHANGE_PHY_PORT(1 << 5),
    /** An address handle's port has to be that of the queue pair. */
    UD_AV_PORT_ENFORCE(1 << 6),
    /** A change can name the state it starts from. */
    CURR_QP_STATE_MOD(1 << 7),
    /** A port can be shut down. */
    SHUTDOWN_PORT(1 << 8),
    /** Ports tell how they were initialised. */
    INIT_TYPE(1 << 9),
    /** There is an event when a port becomes active. */
    PORT_ACTIVE_EVENT(1 << 10),
    /** There is a system image GUID. */
    SYS_IMAGE_GUID(1 << 11),
    /** A responder without a receive says so. */
    RC_RNR_NAK_GEN(1 << 12),
    /** A shared receive queue's size can be changed. */
    SRQ_RESIZE(1 << 13),
    /** An event after a number of completions can be asked for. */
    N_NOTIFY_CQ(1 << 14),
    /** There are memory windows of type 1. */
    MEM_WINDOW(1 << 17),
    /** It checks IP checksums of datagrams. */
    UD_IP_CSUM(1 << 18),
    /** One connection can serve all processes of a host. */
    XRC(1 << 20),
    /** Memory can be registered and invalidated by work requests. */
    MEM_MGT_EXTENSIONS(1 << 21),
    /** There are memory windows of type 2A: bound to a queue pair. */
    MEM_WINDOW_TYPE_2A(1 << 23),
    /** There are memory windows of type 2B: bound to a queue pair and a protection domain. */
    MEM_WINDOW_TYPE_2B(1 << 24),
    /** It checks IP checksums of connections. */
    RC_IP_CSUM(1 << 25),
    /** It checks IP checksums of raw packets. */
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
     * Finds the constants of bits.
     *
     * @param bits bits as in C
     * @return those that are set, as far as this version knows them
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
