package io.rdmarpc.benchmarks;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of a measurement between two programs. Both need the same values. The options have the names of perftest. */
public class MeasureOptions {

    /** Options that locate the other program. */
    @Mixin
    public PeerOptions peer = new PeerOptions();

    /** Bytes per message; 0 selects the usual size. */
    @Option(
            names = {"-s", "--size"},
            description = "bytes per message (default 2 for latency, 65536 for bandwidth)")
    public int size;

    /** Number of operations before the measured ones. */
    @Option(
            names = "--warm-up",
            description = "operations before the measured ones, for the JIT compiler (default ${DEFAULT-VALUE})")
    public int warmUp;

    /** Rank of the CPU to which the measuring thread is pinned; -1 for no pinning. */
    @Option(names = "--cpu", description = "pin the measuring thread to the CPU of this rank, from 0 (default: none)")
    public int cpu = -1;

    /** Whether the client makes a run for each line of its input. */
    @Option(
            names = "--on-demand",
            description = "one run for each line of the client's input, in one JVM; it ends at the end of its input")
    public boolean onDemand;

    /** Creates the options with their defaults. */
    public MeasureOptions() {}
}
