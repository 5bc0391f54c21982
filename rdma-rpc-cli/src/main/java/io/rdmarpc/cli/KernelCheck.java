package io.rdmarpc.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * Checks the kernel's devices, and the files through which user space accesses them.
 *
 * @param host the host
 */
record KernelCheck(HostFiles host) {

    static final String DEVICES = "sys/class/infiniband";

    private static final String KERNEL = "kernel";
    private static final String FILES = "files";
    private static final String VERBS_DEVICES = "sys/class/infiniband_verbs";
    private static final String FILE_DIRECTORY = "dev/infiniband";

    List<Finding> run() {
        List<String> devices = host.names(DEVICES);
        if (devices.isEmpty()) {
            return List.of(noDevice());
        }
        List<Finding> findings = new ArrayList<>();
        findings.add(Finding.ok(KERNEL, "the kernel has " + String.join(", ", devices)));
        findings.addAll(files());
        return findings;
    }

    private Finding noDevice() {
        String none = "the kernel has no RDMA device (/" + DEVICES + " is empty or missing)";
        if (host.exists("sys/module/rdma_rxe")) {
            return Finding.fail(KERNEL, none + ", but rdma_rxe is loaded", addRxe() + crc32());
        }
        return isRxeInstalled()
                ? Finding.fail(
                        KERNEL, none, "load the driver of the NIC. Without a NIC: modprobe rdma_rxe, then " + addRxe())
                : Finding.fail(
                        KERNEL,
                        none + " and no module rdma_rxe",
                        "load the driver of the NIC. Without a NIC install the kernel's extra modules (Ubuntu:"
                                + " linux-modules-extra-$(uname -r), RHEL: kernel-modules-extra), or use"
                                + " rdma.provider=soft");
    }

    private static String addRxe() {
        return "rdma link add rxe0 type rxe netdev <interface>";
    }

    /**
     * Older versions of rxe request crc32 from the crypto API by name; some minimal systems do not load the module for
     * that request.
     */
    private String crc32() {
        boolean known = host.lines("proc/crypto").stream().anyMatch(line -> line.matches("name\\s*:\\s*crc32"));
        return known ? "" : "; if it fails with \"No such file or directory\": modprobe crc32_generic first";
    }

    private boolean isRxeInstalled() {
        String release =
                host.lines("proc/sys/kernel/osrelease").stream().findFirst().orElse("");
        return host.lines("lib/modules/" + release + "/modules.dep").stream()
                .anyMatch(line -> line.contains("/rdma_rxe.ko"));
    }

    private List<Finding> files() {
        List<String> verbs = host.names(VERBS_DEVICES).stream()
                .filter(name -> name.startsWith("uverbs"))
                .toList();
        if (verbs.isEmpty()) {
            return List.of(
                    Finding.fail(FILES, "the kernel makes no device available to user space", "modprobe ib_uverbs"));
        }
        return verbs.stream().map(this::file).toList();
    }

    private Finding file(String name) {
        String file = FILE_DIRECTORY + "/" + name;
        if (host.mayReadAndWrite(file)) {
            return Finding.ok(FILES, "/" + file + " can be read and written");
        }
        if (host.exists(file)) {
            return Finding.fail(
                    FILES,
                    "this user may not read and write /" + file,
                    "install rdma-core, whose udev rules grant access to all users, or chmod a+rw /" + file);
        }
        return Finding.fail(
                FILES,
                "/" + file + " is missing",
                isContainer()
                        ? "start the container with --device=/dev/infiniband and --ulimit memlock=-1"
                        : "start udev; for a container, start it with --device=/dev/infiniband");
    }

    private boolean isContainer() {
        return host.exists(".dockerenv") || host.exists("run/.containerenv");
    }
}
