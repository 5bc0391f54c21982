package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.benchmarks.PeerOptions;
import io.rdmarpc.verbs.SendFlags;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What to measure. Both ends must be given the same; the options have the names of perftest. */
final class RunOptions {

    @Mixin
    PeerOptions peer = new PeerOptions();

    @Option(
            names = {"-s", "--size"},
            description = "bytes of a message (default 2 for latency, 65536 for bandwidth)")
    int size;

    @Option(
            names = {"-I", "--inline_size"},
            description = "messages up to so many bytes are posted inline (default ${DEFAULT-VALUE})")
    int inlineBytes;

    @Option(names = "--warm-up", description = "operations before, which the compiler needs (default ${DEFAULT-VALUE})")
    int warmUp = 0;

    @Option(
            names = "--checked",
            description = "check each request before it is posted, as a queue pair does by default")
    boolean checked;

    @Option(names = "--cpu", description = "pin the measuring thread to the CPU of this rank, from 0 (default: none)")
    int cpu = -1;

    @Option(
            names = "--on-demand",
            description = "the client makes a run for each line that it reads, all in one JVM, and ends with its input")
    boolean onDemand;

    int flagsForSend() {
        return size <= inlineBytes ? SendFlags.INLINE : 0;
    }
}
