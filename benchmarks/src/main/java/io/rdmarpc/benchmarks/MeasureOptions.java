package io.rdmarpc.benchmarks;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What to measure between two programs. Both must be given the same; the options have the names of perftest. */
public class MeasureOptions {

    /** Where the other program is. */
    @Mixin
    public PeerOptions peer = new PeerOptions();

    /** Bytes of a message, 0 for what is usual. */
    @Option(
            names = {"-s", "--size"},
            description = "bytes of a message (default 2 for latency, 65536 for bandwidth)")
    public int size;

    /** Operations before those that count. */
    @Option(names = "--warm-up", description = "operations before, which the compiler needs (default ${DEFAULT-VALUE})")
    public int warmUp;

    /** Rank of the CPU for the thread that measures, -1 for any. */
    @Option(names = "--cpu", description = "pin the measuring thread to the CPU of this rank, from 0 (default: none)")
    public int cpu = -1;

    /** Whether a run is made for each line of the input. */
    @Option(
            names = "--on-demand",
            description = "the client makes a run for each line that it reads, all in one JVM, and ends with its input")
    public boolean onDemand;

    /** Makes options with their defaults. */
    public MeasureOptions() {}
}
