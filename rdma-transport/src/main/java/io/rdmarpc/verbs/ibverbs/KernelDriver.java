package io.rdmarpc.verbs.ibverbs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * Knows by a device's kernel driver what posting costs. Most devices are told about new work by a store to their
 * registers. The others ({@code rxe}, {@code siw}, {@code hfi1}, {@code qib}) take sends by a system call, and a driver
 * not known here is taken for one of them: that costs a few nanoseconds, the other mistake would hold up garbage
 * collections.
 */
final class KernelDriver {

    /** Kernel drivers of the PCI device below an RDMA device. */
    private static final Set<String> DRIVERS = Set.of(
            "mlx5_core",
            "mlx4_core",
            "bnxt_en",
            "cxgb4",
            "efa",
            "erdma",
            "hns3",
            "ice",
            "i40e",
            "idpf",
            "mana",
            "ib_mthca",
            "qede",
            "vmw_pvrdma");

    private KernelDriver() {}

    /**
     * Tells whether a send is posted, and a completion queue armed, without a system call. A device without hardware has
     * no driver link.
     *
     * @param sysfs the device's directory in sysfs
     */
    static boolean takesSendsInUserSpace(Path sysfs) {
        try {
            Path driver = sysfs.resolve("device/driver").toRealPath();
            return DRIVERS.contains(String.valueOf(driver.getFileName()));
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Tells whether a receive is posted without a system call. The driver of {@code rxe} shares its receive queues with the
     * kernel, which is not told of new entries (rdma-core, providers/rxe); only that driver makes the file {@code parent}.
     *
     * @param sysfs the device's directory in sysfs
     */
    static boolean takesReceivesInUserSpace(Path sysfs) {
        return takesSendsInUserSpace(sysfs) || Files.exists(sysfs.resolve("parent"));
    }
}
