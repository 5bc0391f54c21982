package io.rdmarpc.verbs.ibverbs.registration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Explains the limit of locked memory of a process, the most frequent obstacle for new users of RDMA. */
public final class Memlock {

    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final String LINE = "Max locked memory";

    private Memlock() {}

    /** Returns the current limit and how to raise it. */
    public static String advice() {
        String limit = limit();
        if (limit.equals("unlimited")) {
            return "The limit of locked memory (ulimit -l) is not the cause: it is unlimited";
        }
        return "This process may lock " + limit + " bytes of memory: raise it with ulimit -l unlimited or memlock in"
                + " /etc/security/limits.conf, LimitMEMLOCK=infinity in a systemd unit, --ulimit memlock=-1 for a"
                + " container";
    }

    /** Returns the soft limit; the line of the file is {@code Max locked memory  8388608  8388608  bytes}. */
    private static String limit() {
        try {
            return Files.readAllLines(LIMITS).stream()
                    .filter(line -> line.startsWith(LINE))
                    .map(line -> line.substring(LINE.length()).strip().split("\\s+", 2)[0])
                    .findFirst()
                    .orElse("an unknown number of");
        } catch (IOException e) {
            return "an unknown number of";
        }
    }
}
