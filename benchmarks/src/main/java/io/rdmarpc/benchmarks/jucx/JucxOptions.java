package io.rdmarpc.benchmarks.jucx;

import io.rdmarpc.benchmarks.PeerOptions;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What to measure. Both ends must be given the same; the options are those of the verbs' counterparts. */
final class JucxOptions {

    @Mixin
    PeerOptions peer = new PeerOptions();

    @Option(
            names = {"-s", "--size"},
            description = "bytes of a message (default 2 for latency, 65536 for bandwidth)")
    int size;

    @Option(names = "--warm-up", description = "operations before, which the compiler needs (default ${DEFAULT-VALUE})")
    int warmUp;

    @Option(names = "--cpu", description = "pin the measuring thread to the CPU of this rank, from 0 (default: none)")
    int cpu = -1;

    @Option(
            names = "--on-demand",
            description = "the client makes a run for each line that it reads, all in one JVM, and ends with its input")
    boolean onDemand;
}
