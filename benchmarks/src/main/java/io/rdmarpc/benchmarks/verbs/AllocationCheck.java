package io.rdmarpc.benchmarks.verbs;

import com.sun.management.ThreadMXBean;
import io.rdmarpc.benchmarks.DeviceOptions;
import io.rdmarpc.benchmarks.OpenPort;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.util.EnumSet;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Counts the heap bytes that this thread allocates while it posts and polls, and fails if there are any.
 *
 * <p>The minimum of several passes counts, because the JVM may allocate a few hundred bytes once when it discards and
 * recompiles code. An operation that allocates does so in every pass.
 */
@Command(
        name = "allocation",
        description = "counts the heap bytes that posting and polling allocate; exit status 0 if there are none",
        mixinStandardHelpOptions = true)
final class AllocationCheck implements Callable<Integer> {

    private static final int PAGE = 4096;
    private static final int PASSES = 5;
    private static final long WARM_UP_NANOS = 3_000_000_000L;
    private static final long LIMIT_NANOS = 20_000_000_000L;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Mixin
    private DeviceOptions device = new DeviceOptions();

    @Parameters(arity = "0..*", description = "operations to check: ${COMPLETION-CANDIDATES} (default: all)")
    private BenchmarkOperation[] operations = BenchmarkOperation.values();

    @Option(
            names = {"-n", "--iters"},
            description = "number of measured operations (default ${DEFAULT-VALUE})")
    private int iterations = 100_000;

    @Option(
            names = "--warm-up",
            description = "minimum number of operations of the warm-up, which lasts at least 3 s (default"
                    + " ${DEFAULT-VALUE})")
    private int warmUp = 50_000;

    @Option(names = "--checked", description = "check each request before posting it, as a queue pair does by default")
    private boolean checked;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        out.println("| operation | operations | bytes allocated | bytes per operation |\n|---|--:|--:|--:|");
        long total = 0;
        for (BenchmarkOperation operation : operations) {
            long bytes = measure(operation);
            printLine(out, operation, iterations, bytes);
            total += bytes;
        }
        printLine(out, "all", (long) iterations * operations.length, total);
        return total == 0 ? 0 : 1;
    }

    private static void printLine(PrintWriter out, Object operation, long count, long bytes) {
        out.printf(Locale.ROOT, "| %s | %d | %d | %.3f |%n", operation, count, bytes, (double) bytes / count);
        out.flush();
    }

    private long measure(BenchmarkOperation operation) {
        try (Arena arena = Arena.ofConfined();
                OpenPort port = device.open();
                ProtectionDomain domain = port.context().allocateProtectionDomain();
                MemoryRegion memory = domain.registerMemory(
                        arena.allocate(2 * PAGE, PAGE),
                        EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE));
                SelfLoop loop = new SelfLoop(arena, port, domain, memory, operation, checked)) {
            warmUp(loop);
            return leastOf(loop);
        }
    }

    /**
     * Warms up for a minimum time, so that the JIT compiler also compiles code that runs rarely, such as polling a
     * socket.
     */
    private void warmUp(SelfLoop loop) {
        long start = System.nanoTime();
        do {
            loop.repeat(warmUp);
        } while (System.nanoTime() - start < WARM_UP_NANOS);
    }

    /**
     * Returns the minimum of at least five passes. Passes continue for 20 s, because the JIT compilers may be busy on
     * this machine. A pass without allocation ends the check.
     */
    private long leastOf(SelfLoop loop) {
        long start = System.nanoTime();
        long least = Long.MAX_VALUE;
        for (int pass = 0; least > 0 && (pass < PASSES || System.nanoTime() - start < LIMIT_NANOS); pass++) {
            least = Math.min(least, allocatedBy(loop));
        }
        return least;
    }

    private long allocatedBy(SelfLoop loop) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        loop.repeat(iterations);
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }
}
