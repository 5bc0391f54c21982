package io.rdmarpc.verbs.ibverbs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * Knows which devices are told about new work by a store to their registers. The others ({@code rxe}, {@code siw},
 * {@code hfi1}, {@code qib}) post by a system call, and a driver not known here is taken for one of them: that costs a
 * few nanoseconds, the other mistake would hold up garbage collections.
 */
final class Doorbell {

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

    private Doorbell() {}

    /**
     * Tells whether a receive is posted without a system call. The driver of {@code rxe} shares its receive queues with the
     * kernel, which is not told of new entries (rdma-core, providers/rxe); only that driver makes the file {@code parent}.
     */
    static boolean takesReceivesInUserSpace(Path sysfs) {
        return isRungInUserSpace(sysfs) || Files.exists(sysfs.resolve("parent"));
    }

    /** Tells it from the device's directory in sysfs. A device without hardware has no driver link. */
    static boolean isRungInUserSpace(Path sysfs) {
        try {
            Path driver = sysfs.resolve("device/driver").toRealPath();
            return DRIVERS.contains(String.valueOf(driver.getFileName()));
        } catch (IOException e) {
            return false;
        }
    }
}
