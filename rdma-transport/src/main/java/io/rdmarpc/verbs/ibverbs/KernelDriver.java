package io.rdmarpc.verbs.ibverbs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * Determines the cost of posting from a device's kernel driver. For most devices, posting is a store to a device
 * register. The others ({@code rxe}, {@code siw}, {@code hfi1}, {@code qib}) need a system call to post sends. An
 * unknown driver is treated as one of them, which costs a few nanoseconds. The opposite mistake would delay safepoints
 * and thus garbage collections.
 */
final class KernelDriver {

    /** The kernel drivers of PCI devices whose verbs provider posts sends without a system call. */
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
     * Returns whether posting a send and arming a completion queue need no system call. A device without hardware has
     * no driver link.
     *
     * @param sysfs the device's directory in sysfs
     */
    static boolean postsSendsInUserSpace(Path sysfs) {
        try {
            Path driver = sysfs.resolve("device/driver").toRealPath();
            return DRIVERS.contains(String.valueOf(driver.getFileName()));
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Returns whether posting a receive needs no system call. The driver of {@code rxe} shares its receive queues with
     * the kernel, which needs no notification of new entries (rdma-core, providers/rxe). Only that driver creates the
     * file {@code parent}.
     *
     * @param sysfs the device's directory in sysfs
     */
    static boolean postsReceivesInUserSpace(Path sysfs) {
        return postsSendsInUserSpace(sysfs) || Files.exists(sysfs.resolve("parent"));
    }
}
