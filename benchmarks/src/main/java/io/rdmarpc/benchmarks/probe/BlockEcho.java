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
 * Measures only the three copies of a large echo. The second process copies the request's block to its own memory, and
 * from there to a response block. The first process copies the response to its own memory. Two response blocks
 * alternate, as the engine's buffers do. The speed depends on where the two CPUs are, which {@link BlockCopy} on one
 * CPU does not show.
 */
@Command(
        name = "block-echo",
        description = "round trips of 1 MiB by three copies in shared memory, both directions together",
        mixinStandardHelpOptions = true)
final class BlockEcho extends TwoProcessProbe {

    private static final long BLOCK = 1 << 20;
    private static final long THERE = 0;
    private static final long BACK = 128;
    private static final long PAGE = 4096;
    private static final long REQUEST = PAGE;
    private static final long ANSWERS = REQUEST + BLOCK;
    private static final long BYTES = ANSWERS + 2 * BLOCK;
    private static final VarHandle FLAG = ValueLayout.JAVA_LONG.varHandle();

    private final BenchmarkPollTimeout pollTimeout = new BenchmarkPollTimeout("block");
    private long last;

    BlockEcho() {
        super("MiB/s", 5_000);
    }

    @Override
    void first(Arena arena, ChildProcess peer) throws Exception {
        MemorySegment memory = ProbeSharedFile.share(arena, peer, BYTES);
        MemorySegment own = arena.allocate(BLOCK, PAGE);
        print(
                peer,
                () -> 1e6
                        / ProbeRoundTrips.halfMicros(iterations(), () -> {
                            memory.set(ValueLayout.JAVA_LONG, REQUEST, ++last);
                            FLAG.setRelease(memory, THERE, last);
                            await(memory, BACK);
                            MemorySegment.copy(memory, answer(), own, 0, BLOCK);
                        }));
    }

    @Override
    void second(Arena arena, ProbeRequests requests) throws IOException, InterruptedException {
        MemorySegment memory = ProbeSharedFile.join(arena, requests, BYTES);
        MemorySegment own = arena.allocate(BLOCK, PAGE);
        while (true) {
            for (int left = ProbeRoundTrips.whole(awaitRun(requests)); left > 0; left--) {
                last++;
                await(memory, THERE);
                MemorySegment.copy(memory, REQUEST, own, 0, BLOCK);
                MemorySegment.copy(own, 0, memory, answer(), BLOCK);
                FLAG.setRelease(memory, BACK, last);
            }
        }
    }

    private long answer() {
        return ANSWERS + (last & 1) * BLOCK;
    }

    private void await(MemorySegment memory, long where) {
        while ((long) FLAG.getAcquire(memory, where) != last) {
            pollTimeout.check();
        }
        pollTimeout.reset();
    }
}
