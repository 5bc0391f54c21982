package io.rdmarpc.benchmarks.probe;

import io.rdmarpc.benchmarks.Cpus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** How fast this machine copies blocks of 1 MiB from one part of its memory to another, by one thread. */
@Command(
        name = "memcpy",
        description = "1 MiB blocks from memory to memory by MemorySegment.copy",
        mixinStandardHelpOptions = true)
final class BlockCopy extends Probe {

    private static final int PAGE = 4096;
    private static final long BLOCK = 1 << 20;

    @Option(
            names = "--span",
            description =
                    "MiB that it reads from, and as many that it writes to; over the caches (default ${DEFAULT-VALUE})")
    private int spanMebibytes = 256;

    BlockCopy() {
        super("MiB/s", 2_000);
    }

    @Override
    public Integer call() throws Exception {
        Cpus.pin(0);
        try (Arena arena = Arena.ofConfined()) {
            long bytes = spanMebibytes * BLOCK;
            MemorySegment from = arena.allocate(bytes, PAGE).fill((byte) 1);
            MemorySegment to = arena.allocate(bytes, PAGE);
            print(() -> mebibytesPerSecond(from, to));
            return 0;
        }
    }

    private double mebibytesPerSecond(MemorySegment from, MemorySegment to) {
        long start = System.nanoTime();
        for (long i = 0; i < iterations(); i++) {
            long offset = i % spanMebibytes * BLOCK;
            MemorySegment.copy(from, offset, to, offset, BLOCK);
        }
        return iterations() * 1e9 / (System.nanoTime() - start);
    }
}
