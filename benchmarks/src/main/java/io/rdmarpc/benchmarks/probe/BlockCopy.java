package io.rdmarpc.benchmarks.probe;

import io.rdmarpc.benchmarks.Cpus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures how fast one thread copies blocks of 1 MiB between two parts of this machine's memory. */
@Command(
        name = "memcpy",
        description = "copies of 1 MiB blocks between parts of memory by MemorySegment.copy",
        mixinStandardHelpOptions = true)
final class BlockCopy extends Probe {

    private static final int PAGE = 4096;
    private static final long BLOCK = 1 << 20;

    @Option(
            names = "--span",
            description = "MiB of source memory, and as many of target memory; the default exceeds the caches (default"
                    + " ${DEFAULT-VALUE})")
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
