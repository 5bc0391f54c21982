package io.rdmarpc.benchmarks.probe;

import io.rdmarpc.benchmarks.BenchmarkPollTimeout;
import io.rdmarpc.benchmarks.ChildProcess;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import picocli.CommandLine.Command;

/**
 * The minimal notification between two processes: one writes a number to shared memory, the other polls for it and
 * writes it back. Each number has its own two cache lines, because CPUs fetch cache lines in pairs.
 */
@Command(
        name = "flag-ping-pong",
        description = "half a round trip of a shared-memory flag",
        mixinStandardHelpOptions = true)
final class FlagPingPong extends TwoProcessProbe {

    private static final int BYTES = 4096;
    private static final long THERE = 0;
    private static final long BACK = 128;
    private static final VarHandle FLAG = ValueLayout.JAVA_LONG.varHandle();

    private final BenchmarkPollTimeout pollTimeout = new BenchmarkPollTimeout("flag");
    private long last;

    FlagPingPong() {
        super("us", 1_000_000);
    }

    @Override
    void first(Arena arena, ChildProcess peer) throws Exception {
        MemorySegment memory = ProbeSharedFile.share(arena, peer, BYTES);
        print(
                peer,
                () -> ProbeRoundTrips.halfMicros(iterations(), () -> {
                    FLAG.setRelease(memory, THERE, ++last);
                    await(memory, BACK, last);
                }));
    }

    @Override
    void second(Arena arena, ProbeRequests requests) throws IOException, InterruptedException {
        MemorySegment memory = ProbeSharedFile.join(arena, requests, BYTES);
        while (true) {
            for (int left = ProbeRoundTrips.whole(awaitRun(requests)); left > 0; left--) {
                await(memory, THERE, ++last);
                FLAG.setRelease(memory, BACK, last);
            }
        }
    }

    private void await(MemorySegment memory, long where, long value) {
        while ((long) FLAG.getAcquire(memory, where) != value) {
            pollTimeout.check();
        }
        pollTimeout.reset();
    }
}
