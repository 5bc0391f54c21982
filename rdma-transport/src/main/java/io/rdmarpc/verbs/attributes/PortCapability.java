package io.rdmarpc.verbs.attributes;

import java.util.EnumSet;
import java.util.Set;

/** The capabilities of a port, mostly for the management of InfiniBand ({@code enum ibv_port_cap_flags}). */
public enum PortCapability {
    /** The port runs a subnet manager. */
    SM(1 << 1),
    /** The port supports notices. */
    NOTICE_SUP(1 << 2),
    /** The port supports traps. */
    TRAP_SUP(1 << 3),
    /** The port supports optional values of the inter-packet delay. */
    OPT_IPD_SUP(1 << 4),
    /** The port supports automatic path migration. */
    AUTO_MIGR_SUP(1 << 5),
    /** Service levels are mapped to virtual lanes. */
    SL_MAP_SUP(1 << 6),
    /** The management key survives a restart. */
    MKEY_NVRAM(1 << 7),
    /** Partition keys survive a restart. */
    PKEY_NVRAM(1 << 8),
    /** The port's LED can be switched. */
    LED_INFO_SUP(1 << 9),
    /** The port has a system image GUID. */
    SYS_IMAGE_GUID_SUP(1 << 11),
    /** The port supports traps for wrong partition keys at external switch ports. */
    PKEY_SW_EXT_PORT_TRAP_SUP(1 << 12),
    /** The port supports more than 10 Gbit/s per lane. */
    EXTENDED_SPEEDS_SUP(1 << 14),
    /** The second set of capabilities is valid. */
    CAP_MASK2_SUP(1 << 15),
    /** The port supports connection management. */
    CM_SUP(1 << 16),
    /** The port supports SNMP tunneling. */
    SNMP_TUNNEL_SUP(1 << 17),
    /** The port supports reinitialization. */
    REINIT_SUP(1 << 18),
    /** The port supports device management. */
    DEVICE_MGMT_SUP(1 << 19),
    /** The port supports management classes of the vendor. */
    VENDOR_CLASS_SUP(1 << 20),
    /** The port supports directed route notices. */
    DR_NOTICE_SUP(1 << 21),
    /** The port sends a notice when its capabilities change. */
    CAP_MASK_NOTICE_SUP(1 << 22),
    /** The port supports boot management. */
    BOOT_MGMT_SUP(1 << 23),
    /** The port measures the latency of its link. */
    LINK_LATENCY_SUP(1 << 24),
    /** The subnet manager can request that clients register again. */
    CLIENT_REG_SUP(1 << 25),
    /** GIDs are IP addresses, as in RoCE. */
    IP_BASED_GIDS(1 << 26);

    private final int bit;

    PortCapability(int bit) {
        this.bit = bit;
    }

    /**
     * Returns the C value.
     *
     * @return the {@code IBV_PORT_*} bit
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
    public static Set<PortCapability> of(int bits) {
        EnumSet<PortCapability> set = EnumSet.noneOf(PortCapability.class);
        for (PortCapability value : values()) {
            if ((bits & value.bit) != 0) {
                set.add(value);
            }
        }
        return set;
    }
}
