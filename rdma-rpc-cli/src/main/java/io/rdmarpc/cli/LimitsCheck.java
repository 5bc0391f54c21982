package io.rdmarpc.cli;

import java.util.List;
import java.util.OptionalLong;

/**
 * Checks the limits of this process and the huge pages.
 *
 * @param host the host
 */
record LimitsCheck(HostFiles host) {

    /** The default limit of registered memory ({@code rdma.memory.max-size}). */
    private static final long WANTED_MEMLOCK = 1L << 30;

    private static final long WANTED_FILES = 4096;
    private static final int CAP_IPC_LOCK = 14;
    private static final int HEX = 16;

    List<Finding> run() {
        return List.of(memlock(), openFiles(), hugePages());
    }

    private Finding memlock() {
        String subject = "memlock";
        OptionalLong limit = host.limit("Max locked memory");
        if (limit.isEmpty()) {
            return Finding.ok(subject, "this process may lock any amount of memory");
        }
        long bytes = limit.getAsLong();
        if (mayIgnoreMemlock()) {
            return Finding.ok(
                    subject, "the limit is " + bytes + " bytes, which does not apply to this process (CAP_IPC_LOCK)");
        }
        return bytes >= WANTED_MEMLOCK
                ? Finding.ok(subject, "this process may lock " + bytes + " bytes of memory")
                : Finding.warn(
                        subject,
                        "this process may lock only " + bytes + " bytes of memory; registered memory is locked",
                        "ulimit -l unlimited, memlock in /etc/security/limits.conf, LimitMEMLOCK=infinity in a"
                                + " systemd unit, --ulimit memlock=-1 for a container");
    }

    private boolean mayIgnoreMemlock() {
        long capabilities = host.value("proc/self/status", "CapEff")
                .map(text -> Long.parseUnsignedLong(text, HEX))
                .orElse(0L);
        return ((capabilities >>> CAP_IPC_LOCK) & 1) == 1;
    }

    private Finding openFiles() {
        String subject = "open files";
        OptionalLong limit = host.limit("Max open files");
        if (limit.isPresent() && limit.getAsLong() < WANTED_FILES) {
            return Finding.warn(
                    subject,
                    "this process may have only " + limit.getAsLong() + " files open; each connection needs some",
                    "ulimit -n 65536, nofile in /etc/security/limits.conf, or LimitNOFILE in a systemd unit");
        }
        return Finding.ok(
                subject,
                "this process may have " + (limit.isPresent() ? limit.getAsLong() : "any number of") + " files open");
    }

    private Finding hugePages() {
        String subject = "huge pages";
        String file = "proc/meminfo";
        long total = count(file, "HugePages_Total");
        long free = count(file, "HugePages_Free");
        String size = host.value(file, "Hugepagesize").orElse("2048 kB");
        return free > 0
                ? Finding.ok(subject, free + " of " + total + " are free, size " + size)
                : Finding.warn(
                        subject,
                        (total == 0 ? "none are reserved" : "all " + total + " are in use")
                                + "; ordinary pages work, with more address translations in the NIC",
                        "if much memory is registered: sysctl vm.nr_hugepages=512, permanently in /etc/sysctl.d");
    }

    private long count(String file, String name) {
        return host.value(file, name).map(Long::parseLong).orElse(0L);
    }
}
